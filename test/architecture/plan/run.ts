import { say } from '../../support/say.ts';
import { runtimeImports } from './imports.ts';
import { circlesOf, planOf } from './plan.ts';

/** `npm run plan`: boxes and arrows of the gateway and of the host, and circles of files at run time. */
const imports = runtimeImports(['sidecar', 'src', 'media']);
for (const part of ['sidecar/gateway', 'sidecar/host']) {
  const { boxes, arrows } = planOf(part, imports);
  say(`${part}: ${boxes.length} boxes, ${arrows.length} arrows`);
  for (const box of boxes) {
    const to = arrows.filter((it) => it.startsWith(`${box} -> `)).map((it) => it.slice(box.length + 4));
    say(`  ${box}${to.length === 0 ? '' : ` -> ${to.join(', ')}`}`);
  }
}
const circles = circlesOf(imports);
say(`circles of files at run time: ${circles.length}`);
for (const circle of circles) say(`  ${circle.join(', ')}`);
