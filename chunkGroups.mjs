/** A file costs its finding, opening and compiling, whatever is in it: smaller ones join another. */
const LEAST_BYTES = 1_024;
/** A role loads at every start, and what is imported later mostly finds what it needs loaded. */
const ROLE_WEIGHT = 300;
/** More files to choose from take longer and gain less than a hundredth. */
const FIRSTS = 32;

/**
 * Decides which chunks become one file. Chunks that are always loaded together share a file, which costs nothing. Then the two
 * files that cost least become one, again and again, until no file is small and there are few enough. The cost of a pair is what
 * it adds to loads that need only one of the two. While a file is small, only pairs with the smallest are considered.
 */
export function groupsOf({ outputs, chunks, chunkOf }, { starts, waited, most }) {
  const later = chunks.filter((it) => outputs[it].entryPoint !== undefined);
  const weightOf = (role) => waited[role] ?? ROLE_WEIGHT;
  const roles = Object.entries(starts).map(([role, it]) => ({ first: it.map(chunkOf), weight: weightOf(role) }));
  const loads = [...roles, ...later.map((it) => ({ first: [it], weight: 1 }))].map(({ first, weight }) => {
    const paths = closure(outputs, first);
    return { paths, weight: weight / bytesOf(outputs, [...paths]) };
  });
  const takenBy = (path) => loads.flatMap(({ paths }, at) => (paths.has(path) ? [at] : [])).join();
  let groups = [...Map.groupBy(chunks, takenBy).values()];
  for (;;) {
    const facts = factsOf(outputs, groups, loads).sort((a, b) => a.bytes - b.bytes);
    const isSmall = facts[0].bytes < LEAST_BYTES;
    if (!isSmall && groups.length <= most) return groups;
    const firsts = facts.slice(0, isSmall ? 1 : FIRSTS);
    const { a, b } = cheapestPair(firsts, facts, loads);
    groups = [...groups.filter((it) => it !== a.paths && it !== b.paths), [...a.paths, ...b.paths]];
  }
}

/** The pair that costs least and has one of `firsts`, without files that would import each other in a circle. */
function cheapestPair(firsts, facts, loads) {
  let best;
  for (const a of firsts)
    for (const b of facts) {
      if (b === a) continue;
      const cost = addedTo(a, b, loads) + addedTo(b, a, loads);
      if ((!best || cost < best.cost) && !areInCircle(a, b)) best = { a, b, cost };
    }
  return best;
}

/** For each file: which loads contain it, which files come with it, and what {@link lackedBy} found for each load. */
function factsOf(outputs, groups, loads) {
  const facts = groups.map((paths) => ({
    paths,
    bytes: bytesOf(outputs, paths),
    loads: new Set(),
    reach: new Set(),
    lacked: [],
  }));
  const factOf = new Map(facts.flatMap((it) => it.paths.map((path) => [path, it])));
  const add = (fact, found) => {
    for (const path of fact.paths)
      for (const it of outputs[path].imports) {
        const next = isStatic(it) ? factOf.get(it.path) : undefined;
        if (!next || next === fact || found.has(next)) continue;
        found.add(next);
        add(next, found);
      }
  };
  for (const it of facts) add(it, it.reach);
  for (const [at, { paths }] of loads.entries()) {
    const taken = new Set([...paths].flatMap((it) => factOf.get(it) ?? []));
    for (const it of taken) for (const one of [it, ...it.reach]) one.loads.add(at);
  }
  return facts;
}

/** Whether two files that became one would import each other in a circle. */
function areInCircle(a, b) {
  return isBetween(a, b) || isBetween(b, a);
}

/** Whether a file imports another through a third. */
function isBetween(from, to) {
  for (const it of from.reach) if (it !== to && it.reach.has(to)) return true;
  return false;
}

/** By how much the loads of `one` become larger when it brings `other` along. */
function addedTo(one, other, loads) {
  let cost = 0;
  for (const at of one.loads) cost += other.lacked[at] ??= lackedBy(at, other, loads);
  return cost;
}

/** How much a load grows by a file and what comes with it, relative to the load if no chunks were merged. */
function lackedBy(at, file, loads) {
  if (file.loads.has(at)) return 0;
  let bytes = file.bytes;
  for (const it of file.reach) if (!it.loads.has(at)) bytes += it.bytes;
  return bytes * loads[at].weight;
}

function bytesOf(outputs, paths) {
  return paths.reduce((sum, it) => sum + outputs[it].bytes, 0);
}

/** What is loaded with these files. */
function closure(outputs, paths) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const it of outputs[path].imports) if (isStatic(it)) add(it.path);
  };
  for (const it of paths) add(it);
  return found;
}

function isStatic(it) {
  return it.kind === 'import-statement';
}
