import { openChildren } from '../../../../../sidecar/platform/children/children.ts';

/** A host that starts one child, passes its output on, and waits to be killed. */
const [registry = '', script = ''] = process.argv.slice(2);
const children = openChildren(registry, () => '2026-01-01T00:00:00Z');
const child = await children.spawn({
  command: '/bin/sh',
  args: ['-c', script],
  env: { PATH: process.env['PATH'] ?? '' },
  role: 'agent',
  title: 'family',
});
child.stdout.pipe(process.stdout);
