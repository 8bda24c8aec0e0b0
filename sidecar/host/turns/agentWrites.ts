import { basename } from 'node:path';
import type { ToolDecision, ToolFacts } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { decidingNow } from '../agents/modes/askingModes.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { FileWrite } from '../context/turnFiles.ts';
import { targetOf } from '../permissions/facts.ts';
import { refuseWriting } from './unasked.ts';

export interface AgentWritesDeps {
  readonly effects: EffectDeps;
  readonly session: string;
  /** Decides about a call, and may ask a person. */
  readonly confirm: (facts: ToolFacts) => Promise<ToolDecision>;
  /** A call that the host made for a file is over. */
  readonly ended: (facts: ToolFacts, error: string | undefined) => Promise<void>;
}

/**
 * What an agent writes through the host: the request for it is no permission. A file is written under a call that was
 * allowed to edit it, and is asked about otherwise, as every other edit.
 */
export class AgentWrites {
  readonly #deps: AgentWritesDeps;
  /** Real paths by the call that was allowed to edit them, while it runs. */
  readonly #allowed = new Map<string, ReadonlySet<string>>();
  /** Calls that the agent said to run before anybody was asked. */
  readonly #unasked: ReadonlyMap<string, ToolFacts>;

  constructor(deps: AgentWritesDeps, unasked: ReadonlyMap<string, ToolFacts>) {
    this.#deps = deps;
    this.#unasked = unasked;
  }

  /** @param facts with real paths */
  allowed({ toolCallId, kind, paths }: ToolFacts): void {
    if (targetOf[kind] === 'edit') this.#allowed.set(toolCallId, new Set(paths));
  }

  over(toolCallId: string): void {
    this.#allowed.delete(toolCallId);
  }

  /** @throws {Fault} `forbidden` where it is not allowed, `conflict` where the file changed while a person was asked */
  async write({ path, content, held, perform }: FileWrite): Promise<void> {
    this.#requireWritable();
    if (this.#isFree(path)) return perform();
    const running = [...this.#unasked.values()].find(
      ({ kind, paths }) => targetOf[kind] === 'edit' && paths.length === 1 && paths[0] === path,
    );
    const before = await held();
    const facts: ToolFacts = {
      toolCallId: running?.toolCallId ?? this.#deps.effects.newId(),
      kind: 'edit',
      invocationMessage: running?.invocationMessage ?? `${before === undefined ? 'Create' : 'Edit'} ${basename(path)}`,
      paths: [path],
      preview: [{ path, ...(before !== undefined && { before }), after: content }],
    };
    const decision = await this.#deps.confirm(facts);
    if (!decision.allow) throw new Fault('forbidden', decision.reason ?? 'The user denied writing this file.');
    this.#requireWritable();
    if (running) return perform();
    let error: string | undefined = 'The file could not be written.';
    try {
      if ((await held()) !== before)
        throw new Fault('conflict', 'The file changed while the user was being asked, so it was not written.');
      await perform();
      error = undefined;
    } finally {
      await this.#deps.ended(facts, error);
    }
  }

  /** Whether nobody has to be asked: by a call that was allowed, or because a person chose that the agent decides. */
  #isFree(path: string): boolean {
    const { effects, session } = this.#deps;
    if ([...this.#allowed.values()].some((it) => it.has(path))) return true;
    const { config } = effects.store.state('session', session) ?? {};
    return config !== undefined && decidingNow(config).length > 0;
  }

  /** Whatever was allowed before: nothing is written once the session is read only. */
  #requireWritable(): void {
    const refused = refuseWriting(this.#deps.effects, this.#deps.session);
    if (refused !== undefined) throw new Fault('forbidden', refused);
  }
}
