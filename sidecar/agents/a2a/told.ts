import { shownText } from '../../platform/shownText.ts';
import type { ToolContent, TurnEvent } from '../provider.ts';
import type { Artifact, Message, Part } from './wire.ts';

/** An artifact as it has been shown. */
interface Shown {
  readonly partId: string;
  /** Its text so far, whether it was shown as text or is kept for its file. */
  text: string;
  /** Its files, so that a task that is read again shows none of them twice. */
  readonly files: Set<string>;
}

/**
 * What an agent says in one turn, as the events of the turn. Text is shown as it comes. Files, and text under the name of a
 * file, become tool calls whose content a person can open. What is repeated is shown once: agents send a task again with all
 * that they sent before.
 */
export class Told {
  readonly #turnId: string;
  readonly #messages = new Set<string>();
  readonly #texts = new Set<string>();
  readonly #artifacts = new Map<string, Shown>();
  #count = 0;

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  /** @param kind `reasoning` for what an agent says while it works */
  message({ messageId, parts }: Message, kind: 'text' | 'reasoning'): readonly TurnEvent[] {
    if (this.#messages.has(messageId)) return [];
    this.#messages.add(messageId);
    const text = textOf(parts);
    const isRepeated = this.#texts.has(text.trim());
    const said = text === '' || isRepeated ? [] : [this.#text(kind, this.#nextId(), text)];
    return [...said, ...parts.flatMap((it) => (it.kind === 'bytes' ? this.#file(it.name ?? 'file', [it]) : []))];
  }

  /** @param append the parts follow those that came before */
  artifact({ artifactId, name, parts }: Artifact, append: boolean): readonly TurnEvent[] {
    const shown = this.#artifacts.get(artifactId) ?? { partId: this.#nextId(), text: '', files: new Set() };
    this.#artifacts.set(artifactId, shown);
    const text = textOf(parts);
    const files = parts.flatMap((it) => (it.kind === 'bytes' ? this.#artifactFile(shown, name, it) : []));
    if (isFileName(name)) {
      shown.text = append ? shown.text + text : text;
      return files;
    }
    return [...this.#more(shown, text, append), ...files];
  }

  /** What is shown only once it is complete: text under the name of a file. */
  completed({ artifactId, name }: Pick<Artifact, 'artifactId' | 'name'>): readonly TurnEvent[] {
    const shown = this.#artifacts.get(artifactId);
    if (!shown || !isFileName(name) || shown.text === '' || shown.files.has(shown.text)) return [];
    shown.files.add(shown.text);
    return this.#file(name, [{ kind: 'text', text: shown.text }]);
  }

  #more(shown: Shown, text: string, append: boolean): readonly TurnEvent[] {
    const isLonger = !append && text.startsWith(shown.text);
    const isOther = !append && !isLonger && shown.text !== '';
    const more = isLonger ? text.slice(shown.text.length) : text;
    shown.text = append ? shown.text + text : text;
    this.#texts.add(shown.text.trim());
    if (more === '') return [];
    return [this.#text('text', shown.partId, isOther ? `\n\n${more}` : more)];
  }

  #artifactFile(shown: Shown, name: string | undefined, part: Extract<Part, { kind: 'bytes' }>): readonly TurnEvent[] {
    const key = `${part.name ?? ''} ${part.base64}`;
    if (shown.files.has(key)) return [];
    shown.files.add(key);
    return this.#file(part.name ?? name ?? 'file', [part]);
  }

  #file(name: string, parts: readonly Part[]): readonly TurnEvent[] {
    const toolCallId = this.#nextId();
    const content = parts.flatMap(toContent);
    return [
      { kind: 'toolStarted', toolCallId, toolName: 'artifact', displayName: 'Artifact' },
      {
        kind: 'toolRunning',
        facts: { toolCallId, kind: 'read', invocationMessage: `Receive ${name}`, paths: [] },
      },
      { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: `Received ${name}`, content },
    ];
  }

  #text(kind: 'text' | 'reasoning', partId: string, text: string): TurnEvent {
    return { kind, partId, text };
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#turnId}-${this.#count}`;
  }
}

/** The text of a message, with its links as Markdown. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((it) => (it.kind === 'text' ? [it.text] : it.kind === 'link' ? [linkOf(it)] : [])).join('');
}

/** Nothing is fetched: a person decides whether to open it. */
function linkOf({ url, name }: Extract<Part, { kind: 'link' }>): string {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isWeb) return shownText(`${name ?? ''} ${url}`.trim(), 500);
  const { href } = new URL(url);
  const label = (name ?? href).replaceAll(/[[\]\\]/g, '\\$&');
  return `[${label}](<${href.replaceAll('>', '%3E')}>)`;
}

const isFileName = (name: string | undefined): name is string => name !== undefined && /\w\.[a-z0-9]{1,8}$/i.test(name);

function toContent(part: Part): readonly ToolContent[] {
  if (part.kind === 'text') return [{ kind: 'text', text: part.text }];
  return part.kind === 'bytes' ? [{ kind: 'data', base64: part.base64, contentType: part.contentType }] : [];
}
