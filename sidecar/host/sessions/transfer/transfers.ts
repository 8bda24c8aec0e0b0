import { BoundedMap } from '../../../platform/boundedMap.ts';
import { Fault } from '../../../platform/faults.ts';
import { InTurn } from '../../../platform/inTurn.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import { Importing } from './importing.ts';
import { type ExportDeps, headOf, recordsOf } from './records.ts';
import { writeJson } from './writeJson.ts';
import { writeMarkdown } from './writeMarkdown.ts';

export interface TransferDeps extends ExportDeps, Pick<EffectDeps, 'newId' | 'report'> {}

/** Characters of an answer, and one record more. */
const PIECE = 256 * 1024;
/** Exports that one connection may have under way: the oldest is given up. */
const MAX_EXPORTS = 8;

/** Sessions that leave as files, and that come from files. Both go piece by piece, so that other requests come between. */
export class Transfers {
  readonly #deps: TransferDeps;
  readonly #exports = new Map<object, BoundedMap<string, AsyncGenerator<string>>>();
  /** Pieces of one file are taken in their order. */
  readonly #inTurn = new InTurn();
  readonly #imports = new Map<string, { readonly owner: object; readonly importing: Importing }>();

  constructor(deps: TransferDeps) {
    this.#deps = deps;
  }

  /**
   * @param owner the connection: a cursor is good for it alone
   * @throws {Fault} `session_not_found`, `invalid_params`
   */
  async export(
    { channel, format, cursor }: Params<'x-switchboard/exportSession'>,
    owner: object,
  ): Promise<Result<'x-switchboard/exportSession'>> {
    const own = this.#exports.get(owner) ?? new BoundedMap<string, AsyncGenerator<string>>(MAX_EXPORTS);
    this.#exports.set(owner, own);
    const pieces = cursor === undefined ? this.#begin(channel, format) : own.get(cursor);
    if (!pieces) throw new Fault('invalid_params', 'cursor: unknown or expired');
    if (cursor !== undefined) own.delete(cursor);
    let text = '';
    while (text.length < PIECE) {
      const next = await pieces.next();
      if (next.done) return { text };
      text += next.value;
    }
    const nextCursor = this.#deps.newId();
    own.set(nextCursor, pieces);
    return { text, nextCursor };
  }

  #begin(session: string, format: 'json' | 'markdown'): AsyncGenerator<string> {
    const state = this.#deps.store.state('session', session);
    if (!state) throw new Fault('session_not_found', 'session not found');
    const head = headOf(this.#deps, session, state);
    const records = recordsOf(this.#deps, session, state);
    return format === 'json' ? writeJson(head, records) : writeMarkdown(head, records);
  }

  /**
   * What was imported goes again when a piece is refused, or its connection ends before the last one.
   * @throws {Fault} `invalid_params`, `session_exists`, `unavailable`
   */
  import(piece: Params<'x-switchboard/importSession'>, owner: object): Promise<null> {
    return this.#inTurn.run(piece.session, () => this.#import(piece, owner));
  }

  async #import(
    { session, head, records, isLast }: Params<'x-switchboard/importSession'>,
    owner: object,
  ): Promise<null> {
    if (head) this.#imports.set(session, { owner, importing: new Importing(this.#deps, session, head) });
    const under = this.#imports.get(session);
    if (under?.owner !== owner) throw new Fault('invalid_params', "session: send the file's header first");
    try {
      await under.importing.add(records);
      if (!this.#imports.has(session)) throw new Fault('unavailable', 'the import was canceled');
      if (!isLast) return null;
      await under.importing.finish();
      this.#imports.delete(session);
      return null;
    } catch (thrown) {
      await this.#giveUp(session);
      throw thrown;
    }
  }

  /** The connection ended. */
  leave(owner: object): void {
    this.#exports.delete(owner);
    for (const [session, it] of this.#imports) {
      if (it.owner !== owner) continue;
      this.#giveUp(session).catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
    }
  }

  async #giveUp(session: string): Promise<void> {
    const under = this.#imports.get(session);
    this.#imports.delete(session);
    await under?.importing.abandon();
  }
}
