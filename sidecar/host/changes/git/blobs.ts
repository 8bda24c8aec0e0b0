type Run = (args: readonly string[], input?: string) => Promise<Buffer>;

/** Bytes of git's objects, a few at a time; for one that is too large, or is not there, why. */
export async function readBlobs(
  run: Run,
  maxBytes: number,
  objects: readonly string[],
): Promise<Map<string, Buffer | 'tooLarge' | 'missing'>> {
  const blobs = new Map<string, Buffer | 'tooLarge' | 'missing'>();
  if (objects.length === 0) return blobs;
  const sizes = (
    await run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], `${objects.join('\n')}\n`)
  ).toString('utf8');
  const small: string[] = [];
  for (const line of sizes.split('\n')) {
    const [object, size] = line.split(' ');
    if (!object) continue;
    if (Number(size) <= maxBytes) small.push(object);
    else blobs.set(object, size === 'missing' ? 'missing' : 'tooLarge');
  }
  // A part of them at a time, so that no answer is larger than what may be held at once.
  for (let at = 0; at < small.length; at += 16) {
    const part = small.slice(at, at + 16);
    const output = await run(['cat-file', '--batch'], `${part.join('\n')}\n`);
    let from = 0;
    for (const object of part) {
      const lineEnd = output.indexOf(10, from);
      const size = Number(output.subarray(from, lineEnd).toString('utf8').split(' ')[2]);
      blobs.set(object, Buffer.from(output.subarray(lineEnd + 1, lineEnd + 1 + size)));
      from = lineEnd + 1 + size + 1;
    }
  }
  return blobs;
}
