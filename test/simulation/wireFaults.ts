import { Buffer } from 'node:buffer';
import { FrameDecoder } from '../../sidecar/transport/frames.ts';
import type { Random } from '../fuzz/random.ts';
import type { Fault } from './fault.ts';

/** What faults take apart of the messages that have it. */
interface Message {
  readonly method?: string;
  readonly params: {
    readonly channel: string;
    readonly serverSeq: number;
    readonly rejectionReason?: string;
    readonly lastSeenServerSeq: number;
    readonly action: { readonly type: string; readonly content?: string };
    readonly _meta?: object;
  };
  readonly result?: { readonly snapshot?: { readonly resource: string; readonly fromSeq: number } } | null;
}
type Change = (messages: Message[], random: Random) => Message[];

/** What a fault makes of the messages that were written at once. */
const messages =
  (change: Change) =>
  (chunk: Buffer, random: Random): readonly Buffer[] => {
    const decoder = new FrameDecoder();
    const { bodies } = decoder.push(chunk);
    if (!decoder.isBetweenFrames) return [chunk];
    const before = bodies.map((it) => JSON.parse(it.toString('utf8')) as Message);
    const after = change(before, random);
    return after.length === 0 ? [] : [Buffer.concat(after.map(toFrame))];
  };
function toFrame(message: Message): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const isAccepted = (it: Message) => it.method === 'action' && it.params.rejectionReason === undefined;
const each =
  (
    isMeant: (message: Message) => boolean,
    chance: number,
    change: (message: Message, random: Random) => Message[],
  ): Change =>
  (all, random) =>
    all.flatMap((it) => (isMeant(it) && random.chance(chance) ? change(it, random) : [it]));
const isOfType = (type: string) => (it: Message) => isAccepted(it) && it.params.action.type === type;

export const wireFaults: readonly (() => Fault)[] = [
  () => ({ name: 'an action gets lost on the wire', fromHost: messages(each(isAccepted, 0.01, () => [])) }),
  () => ({
    name: 'an action comes twice, the second time with a number of its own',
    fromHost: messages(
      each(isOfType('chat/delta'), 0.05, (it) => [
        it,
        { ...it, params: { ...it.params, serverSeq: it.params.serverSeq + 1 } },
      ]),
    ),
  }),
  () => {
    let held: Message | undefined;
    return {
      name: 'an action comes late, after the ones that follow it',
      fromHost: messages((all, random) => {
        if (held !== undefined && all.some(isAccepted)) {
          const late = held;
          held = undefined;
          return [...all, late];
        }
        const at = all.findLastIndex(isAccepted);
        if (at < 0 || !random.chance(0.02)) return all;
        held = all[at];
        return all.toSpliced(at, 1);
      }),
    };
  },
  () => ({
    name: 'two actions that are written at once come in the wrong order',
    fromHost: messages((all) => (all.filter(isAccepted).length > 1 ? all.toReversed() : all)),
  }),
  () => {
    let chat: string | undefined;
    return {
      name: 'an action of one chat arrives as one of another',
      fromHost: messages(
        each(isOfType('chat/draftChanged'), 1, (it) => {
          const channel = chat ?? it.params.channel;
          chat = it.params.channel;
          return [{ ...it, params: { ...it.params, channel } }];
        }),
      ),
    };
  },
  () => ({
    name: 'an action arrives without the time of the host',
    fromHost: messages(
      each(isAccepted, 0.05, (it) => [{ ...it, params: { ...it.params, _meta: { at: '2020-01-01T00:00:00.000Z' } } }]),
    ),
  }),
  () => ({
    name: 'a refusal arrives as if the host had accepted',
    fromHost: messages(
      each(
        (it) => it.method === 'action' && !isAccepted(it),
        0.5,
        ({ params: { rejectionReason: _reason, ...params }, ...it }) => [{ ...it, params }],
      ),
    ),
  }),
  () => ({
    name: 'a state says that it has more than it has',
    fromHost: messages(
      each(
        (it) => it.result?.snapshot !== undefined,
        0.3,
        (it) => {
          const snapshot = it.result!.snapshot!;
          return [{ ...it, result: { ...it.result, snapshot: { ...snapshot, fromSeq: snapshot.fromSeq + 3 } } }];
        },
      ),
    ),
  }),
  () => {
    let before: { readonly resource: string; readonly fromSeq: number } | undefined;
    return {
      name: 'a client gets the state that another one asked for',
      fromHost: messages(
        each(
          (it) => it.result?.snapshot?.resource.startsWith('host-chat:') === true,
          1,
          (it, random) => {
            const asked = it.result!.snapshot!;
            const given = before !== undefined && random.chance(0.3) ? before : asked;
            before = asked;
            return [{ ...it, result: { ...it.result, snapshot: { ...given, resource: asked.resource } } }];
          },
        ),
      ),
    };
  },
  () => ({
    name: 'a client that comes back claims to have seen more than it did',
    fromClient: messages(
      each(
        (it) => it.method === 'reconnect',
        0.5,
        (it) => [{ ...it, params: { ...it.params, lastSeenServerSeq: it.params.lastSeenServerSeq + 5 } }],
      ),
    ),
  }),
  () => ({
    name: 'text is widened on its way',
    fromHost: messages(
      each(isOfType('chat/delta'), 0.05, (it) => {
        const action = { ...it.params.action, content: `${it.params.action.content} and more` };
        return [{ ...it, params: { ...it.params, action } }];
      }),
    ),
  }),
];
