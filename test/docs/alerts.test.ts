import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(root + name, 'utf8');

/** From the package prometheus of Debian; without it these tests are skipped. */
const PROMTOOL = '/usr/bin/promtool';
const onPrometheus = existsSync(PROMTOOL) ? describe : describe.skip;

interface Alert {
  readonly alert: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const alerts = (parse(read('docs/monitoring/alerts.yaml')).groups as { rules: Partial<Alert>[] }[])
  .flatMap(({ rules }) => rules)
  .filter((rule): rule is Alert => rule.alert !== undefined);

describe('docs/monitoring/alerts.yaml', () => {
  it('leads from each alert to an entry of the guide, with its cause, what to look at and what to do', () => {
    expect(alerts.length).toBeGreaterThan(15);
    const guide = read('docs/how-to/operate.md');
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).toBe(`docs/how-to/operate.md#${alert.toLowerCase()}`);
      const [, entry = ''] = new RegExp(`^### ${alert}\\n([\\s\\S]*?)(?=^### |(?![\\s\\S]))`, 'm').exec(guide) ?? [];
      expect([alert, entry.match(/^- \*\*\w+/gm)]).toEqual([alert, ['- **Cause', '- **Look', '- **Do']]);
    }
  });

  it('has a test in which each alert fires', () => {
    const tests = read('test/docs/alerts.test.yaml');
    const untested = alerts.filter(({ alert }) => !tests.includes(`labels: '{alertname="${alert}"`));
    expect(untested.map(({ alert }) => alert)).toEqual([]);
  });
});

onPrometheus('the rules in Prometheus (needs the package prometheus)', () => {
  it.each([
    ['are valid', ['check', 'rules', 'docs/monitoring/alerts.yaml']],
    ['fire in each incident, and in none that is short or over', ['test', 'rules', 'test/docs/alerts.test.yaml']],
  ])('%s', (_, parts) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, parts, { cwd: root, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('FAILED')]);
    expect(stdout).toContain('SUCCESS');
  });
});
