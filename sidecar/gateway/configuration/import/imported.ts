import { GatewayConfig, type GatewayConfigInput } from '../../../protocol/gateway/config.ts';
import { findingsOf } from '../findings.ts';
import { checkRules } from '../rules.ts';

/** Something of the other file that is not as it was, and why. */
export interface ImportNote {
  /** In the other file. */
  readonly path: string;
  readonly message: string;
}
/** What another program's file says, as a part of ours. */
export interface Imported {
  readonly part: GatewayConfigInput;
  readonly notes: readonly ImportNote[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** Collects notes, and entries that our own reader would take. */
export class Collector {
  readonly notes: ImportNote[] = [];
  readonly part: { -readonly [K in keyof GatewayConfigInput]: GatewayConfigInput[K] } = {};

  note(path: string, message: string): void {
    this.notes.push({ path, message });
  }

  /** A name that does not hold our separator. */
  serverName(path: string, name: string): string {
    const ours = name.replaceAll(/__+/g, '_');
    if (ours !== name)
      this.note(path, `was imported as '${ours}' because '__' separates a server name from a tool name`);
    return ours;
  }

  /** Takes an entry into `section` unless it would be a mistake there: then it is left out, with the reason. */
  take(path: string, section: 'mcp_servers' | 'agents', name: string, entry: Fields): void {
    const config = { guardrails: this.part.guardrails ?? [], [section]: { [name]: entry } };
    const reason = whyNot(config);
    if (reason !== undefined) return this.note(path, `skipped: ${reason}`);
    this.part[section] = { ...this.part[section], [name]: entry } as never;
  }

  /** The same for a model. Models are in a list. */
  takeModel(path: string, entry: Fields): void {
    const reason = whyNot({ model_list: [entry] });
    if (reason !== undefined) return this.note(path, `skipped: ${reason}`);
    this.part.model_list = [...(this.part.model_list ?? []), entry as never];
  }

  /** The same for members outside of the maps. */
  set(path: string, member: object): void {
    const reason = whyNot(member);
    if (reason !== undefined) this.note(path, `skipped: ${reason}`);
    else Object.assign(this.part, member);
  }

  get imported(): Imported {
    return { part: this.part, notes: this.notes };
  }
}

/** The first mistake, with the end of its path. */
function whyNot(config: object): string | undefined {
  const parsed = GatewayConfig.safeParse(config);
  const [first] = parsed.success
    ? checkRules(parsed.data).filter((it) => it.kind === 'rule')
    : parsed.error.issues.flatMap((it) => findingsOf(it, config));
  return first && `${first.path.slice(2).join('.') || String(first.path.at(-1) ?? '')}: ${first.message}`;
}

/** A name for an environment variable: `github` and `token` become `GITHUB_TOKEN`. */
export const variableName = (...words: readonly string[]): string => {
  const name = words
    .join('_')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `V_${name}`;
};

/** Names under which people keep what nobody else should read. */
export const soundsSecret = (name: string): boolean =>
  /token|secret|passw|authorization|cookie|credential|api[-_]?key|private[-_]?key|^key$|[-_]key$/i.test(name);
