import { type ReadCall, readThrice } from './readers.ts';
import { Calls, type Style, type TwinKind } from './twins.ts';

/** A way for calls into a gateway, or what stands for one. */
export interface Road {
  readonly name: string;
  readonly style: Style;
  readonly prefix?: string;
  /** Brings a message in. @returns what left because of it, each text with the call that was judged before */
  post(text: string): Promise<readonly { readonly sent: string; readonly judged: ReadCall | undefined }[]>;
  /** How three readers understand what was sent. Default: as calls of tools and messages to agents. */
  readonly read?: (text: string) => ReturnType<typeof readThrice>;
  close?(): Promise<void>;
}

export interface Driven {
  readonly calls: number;
  readonly refused: number;
  readonly allowed: number;
  readonly twins: Readonly<Partial<Record<TwinKind, number>>>;
  /** The first call that left as another one than the judged for some reader. */
  readonly hole?: { readonly at: number; readonly text: string; readonly sent: string; readonly why: string };
}

/** Sends so many generated calls, and reads what leaves with three readers. Ends at the first hole. */
export async function drive(road: Road, count: number, seed: number): Promise<Driven> {
  const calls = new Calls(seed, road.style, road.prefix);
  const twins: Partial<Record<TwinKind, number>> = {};
  let allowed = 0;
  for (let at = 1; at <= count; at += 1) {
    const { text, twin } = calls.next();
    if (twin) twins[twin] = (twins[twin] ?? 0) + 1;
    const left = await road.post(text);
    if (left.length > 0) allowed += 1;
    const told = { calls: at, refused: at - allowed, allowed, twins };
    for (const { sent, judged } of left) {
      const why = whyHole(sent, judged, road.read ?? readThrice);
      if (why !== undefined) return { ...told, hole: { at, text, sent, why } };
    }
    if (left.length > 1)
      return { ...told, hole: { at, text, sent: left.map((it) => it.sent).join('\n'), why: 'sent twice' } };
  }
  return { calls: count, refused: count - allowed, allowed, twins };
}

function whyHole(sent: string, judged: ReadCall | undefined, read: typeof readThrice): string | undefined {
  if (!judged) return 'nothing was judged';
  const wanted = JSON.stringify(judged);
  for (const [reader, call] of Object.entries(read(sent))) {
    const found = JSON.stringify(call);
    if (found !== wanted) return `${reader} reads ${found}, judged was ${wanted}`;
  }
  return undefined;
}
