import { say } from '../../support/say.ts';
import { runtimeImports } from './imports.ts';
import { circlesOf, floorsOf, planOf, targetsOf } from './plan.ts';

/** `npm run plan`: boxes, arrows and floors of the gateway and of the host, and circles of files at run time. */
const imports = runtimeImports(['sidecar', 'src', 'media']);
for (const part of ['sidecar/gateway', 'sidecar/host']) {
  const plan = planOf(part, imports);
  const { floors, importsUp } = floorsOf(plan);
  say(`${part}: ${plan.boxes.length} boxes, ${plan.arrows.length} arrows, ${importsUp.length} imports up`);
  for (const arrow of importsUp) say(`  up: ${arrow}`);
  for (const [floor, boxes] of [...floors.entries()].reverse()) {
    say(`  floor ${floor}`);
    for (const box of boxes) {
      const targets = targetsOf(box, plan.arrows);
      say(`    ${box}${targets.length === 0 ? '' : ` -> ${targets.join(', ')}`}`);
    }
  }
}
const circles = circlesOf(imports);
say(`circles of files at run time: ${circles.length}`);
for (const circle of circles) say(`  ${circle.join(', ')}`);
