-- The counts of naming authorities are index-only scans, which read every row from the table until a VACUUM has marked its page
-- as visible. By default PostgreSQL waits for inserts of a fifth of the table. Such a VACUUM reads only the new pages.

ALTER TABLE "identifier" SET (autovacuum_vacuum_insert_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.02);
