import { shownText } from '../../platform/shownText.ts';
import type { ToolContent, TurnEvent } from '../provider.ts';
import type { Artifact, Message, Part } from './wire.ts';

/** An artifact as it has been shown. */
interface Shown {
  readonly partId: string;
  /** Its text so far, which is either shown or kept for its file. */
  text: string;
  /** Its files that have been shown. */
  readonly files: Set<string>;
}

/**
 * Converts what an agent sends in one turn to events of the turn. Text is shown as it arrives. Files, and artifacts with the name
 * of a file, become tool calls whose content the user can open. Repetitions are shown once: a task contains everything that the
 * agent has already sent.
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

  /** @param kind `reasoning` for messages that an agent sends while it works */
  message({ messageId, parts }: Message, kind: 'text' | 'reasoning'): readonly TurnEvent[] {
    if (this.#messages.has(messageId)) return [];
    this.#messages.add(messageId);
    const text = textOf(parts);
    const isRepeated = this.#texts.has(text.trim());
    const shown = text === '' || isRepeated ? [] : [this.#text(kind, this.#nextId(), text)];
    return [...shown, ...parts.flatMap((it) => (it.kind === 'bytes' ? this.#file(it.name ?? 'file', [it]) : []))];
  }

  /** @param append the parts follow the earlier parts of the artifact */
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

  /** Shows the text of an artifact with the name of a file, which is shown only when it is complete. */
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

/** Nothing is fetched: the user decides whether to open the link. */
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
