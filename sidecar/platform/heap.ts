import { setFlagsFromString } from 'node:v8';

/** How much the old generation may grow before it is collected, in percent of what lived in it. */
const GROWTH_PERCENT = 30;

/** How long after its start a process sets these flags. Node recompiles its own modules that load after a change of flags. */
export const SETTLED_MS = 1_000;

/**
 * For a process that lives for days beside others: garbage is collected when the heap has grown by a third. By itself V8
 * lets it grow to several times what lives in it, which showed as 320 MB resident where 30 MB lived, after 300,000 messages;
 * what it costs in time is too little to be measured. The flag is read at each collection, so it may be set while running.
 */
export function keepHeapTight(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/**
 * For a server. Its hot code reaches V8's last compiler anyway. The compiler before it, Maglev, costs 25 MB and, after the start, a
 * tenth of the processor time of calls.
 */
export function skipMaglev(): void {
  setFlagsFromString('--no-maglev');
}

/**
 * For a server. Compiled code relies on the hidden classes of the objects that it works on, and most of these objects exist only during
 * a call. V8 keeps the classes that compiled code uses, except in a collection that reduces memory. Such a collection discards the classes and
 * the code. The next four thousand calls would then take twice the processor time, because the code is compiled again. By itself, V8 reduces
 * memory after a few seconds without calls.
 */
export function keepCompiledCode(): void {
  setFlagsFromString('--no-memory-reducer-favors-memory');
}

/** For a server. One thread collects its small young generation faster than several that must coordinate, except while it starts. */
export function collectYoungHeapAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
