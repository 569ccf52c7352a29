import { startEmbeddedServer } from './dist/database/embedded/embedded-server.js';
import { migrate } from './dist/database/migrations.js';
import pg from 'pg';
import { INSERT_SQL, insertValues } from './dist/record/insert-statement.js';
import { randomUUID, createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
const s = await startEmbeddedServer('/tmp/mass/data'+process.pid);
try {
await migrate(s.url);
const c = new pg.Client({connectionString:s.url}); await c.connect();
await c.query("INSERT INTO naming_authority(prefix) VALUES ('100.102')");
const mk=(i)=>({authority:{prefix:'100.102',version:1},address:{guid:randomUUID(),localKey:null},localName:'x',ownKey:createHash('sha256').update('o'+i).digest(),metadata:{canonical:'info:fedora/big:'+i,key:createHash('sha256').update('m'+i).digest()},target:'https://x.example/'+i,alternates:[],leaseUntil:null,metadataRecord:null,request:null,actor:{client:'a',keyId:null},kind:'minted',patch:[{op:'add',path:'',value:{}}]});
const N=+process.argv[2]||500, T=+process.argv[3]||5000;
if (process.argv[4]) await c.query(process.argv[4]);
await c.query('BEGIN');
for(let f=0;f<T;f+=N){ const items=Array.from({length:N},(_,i)=>mk(f+i)); const t=performance.now();
 if (f===T-N) { const r=await c.query('EXPLAIN (ANALYZE, COSTS ON, TIMING ON) '+INSERT_SQL, insertValues(items)); console.log(r.rows.map(x=>x['QUERY PLAN']).join('\n')); }
 else await c.query(INSERT_SQL, insertValues(items)); console.log(f, Math.round(performance.now()-t)); }
await c.end();
} finally { await s.stop(); rmSync('/tmp/mass/data'+process.pid,{recursive:true,force:true}); }
