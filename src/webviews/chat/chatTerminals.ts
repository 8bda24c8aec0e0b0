import { PlainOutput } from '../../../sidecar/protocol/channels/terminal/plainOutput.ts';
import type {
  TerminalAction,
  TerminalInfo,
  TerminalState,
} from '../../../sidecar/protocol/channels/terminal/schema.ts';
import type { ChannelView, Disposable, HostPort } from '../../client/port.ts';
import type { Row, ToolRow, ToolTerminal } from '../contract/chatModel.ts';
import { toOutput } from './chatTools.ts';
import type { OpenChat } from './openChat.ts';

/** How many characters of a terminal's end are read after a change. A card shows fewer. */
const READ = 96 * 1024;

interface Followed {
  readonly view: ChannelView<TerminalState>;
  /** The last row, and what it was made from. */
  made?: { readonly base: ToolRow; readonly place: string; readonly state: TerminalState | undefined; row: ToolRow };
}

/** The live output of tool calls' terminals. A terminal is subscribed only while a row shows it. */
export class ChatTerminals implements Disposable {
  readonly #port: Pick<HostPort, 'open'>;
  readonly #changed: () => void;
  readonly #followed = new Map<string, Followed>();

  constructor(port: Pick<HostPort, 'open'>, changed: () => void) {
    this.#port = port;
    this.#changed = changed;
  }

  /** The rows, with the current output of their terminals. The same objects until something changes. */
  rows(rows: readonly Row[], terminals: readonly TerminalInfo[]): readonly Row[] {
    const known = new Map(terminals.map((it) => [it.resource, it]));
    const seen = new Set<string>();
    const shown = known.size === 0 ? rows : rows.map((row) => this.#shown(row, known, seen));
    for (const [resource, { view }] of this.#followed) {
      if (seen.has(resource)) continue;
      view.dispose();
      this.#followed.delete(resource);
    }
    return shown;
  }

  dispose(): void {
    for (const { view } of this.#followed.values()) view.dispose();
    this.#followed.clear();
  }

  #shown(row: Row, known: ReadonlyMap<string, TerminalInfo>, seen: Set<string>): Row {
    const info = row.kind === 'tool' && row.terminal ? known.get(row.terminal.resource) : undefined;
    if (row.kind !== 'tool' || !info) return row;
    const { resource } = info;
    seen.add(resource);
    const followed = this.#followed.get(resource) ?? this.#follow(resource);
    const place = placeOf(info);
    const state = followed.view.shown;
    const { made } = followed;
    if (made?.base === row && made.place === place && made.state === state) return made.row;
    // Once the call has output of its own, that is shown.
    const output = row.output ?? (state && toOutput(endOf(state)));
    const now = { ...row, terminal: { resource, place }, ...(output && { output }) };
    followed.made = { base: row, place, state, row: now };
    return now;
  }

  #follow(resource: string): Followed {
    const view = this.#port.open<TerminalState>(resource);
    view.onDidChange(this.#changed);
    const followed = { view };
    this.#followed.set(resource, followed);
    return followed;
  }
}

/** Moves a terminal to the background: the session keeps it, and no call waits for it. */
export function toBackground({ chosen, deps }: Pick<OpenChat, 'chosen' | 'deps'>, terminal: string): void {
  if (chosen.session === undefined) return;
  const claim = { kind: 'session', session: chosen.session } as const;
  const action: TerminalAction = { type: 'terminal/claimed', claim };
  deps.port.dispatch(terminal, action);
}

/** With any other holder, no call waits for it. */
function placeOf({ claim, exitCode }: TerminalInfo): ToolTerminal['place'] {
  if (exitCode !== undefined) return 'ended';
  return claim.kind === 'session' && claim.toolCallId !== undefined ? 'call' : 'background';
}

function endOf({ content }: TerminalState): string {
  let text = '';
  for (const part of content.toReversed()) {
    text = (part.type === 'command' ? part.output : part.type === 'unclassified' ? part.value : '') + text;
    if (text.length >= READ) break;
  }
  const output = new PlainOutput(READ);
  output.add(text.slice(-READ));
  return output.read().text;
}
