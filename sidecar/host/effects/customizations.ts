import type { CustomAgent } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import type { Customization } from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { SessionCustomizations } from '../customizations/sessionCustomizations.ts';
import { type Asker, type EffectDeps, plainWindow } from './effectDeps.ts';

/** What customizes sessions. Loaded with the first session that a trusted window looks at. */
export class Customizations {
  readonly #deps: EffectDeps;
  #loaded: Promise<SessionCustomizations> | undefined;
  #isClosed = false;

  constructor(deps: EffectDeps) {
    this.#deps = deps;
  }

  /** A client looks at a session. Of a folder that its window does not trust nothing is read. */
  look(session: string, asker: Asker): void {
    if ((asker.window ?? plainWindow).trusted) this.#tell((it) => it.look(session));
  }
  /** A client looks at one channel less. */
  left(): void {
    if (this.#loaded) this.#tell((it) => it.sweep());
  }
  /** Something was committed to a session, or to another channel. */
  heard(session: string, action: SessionAction): void {
    if (!this.#loaded) return;
    switch (action.type) {
      case 'session/customizationToggled':
        return this.#tell((it) => it.toggled(session, action.id, action.enabled));
      case 'session/activeClientSet':
        return this.#tell((it) => it.published(session, action.activeClient.clientId));
      case 'session/workingDirectorySet':
      case 'session/workingDirectoryRemoved':
        return this.#tell((it) => it.directoriesChanged(session));
      default:
    }
  }

  /** @throws {Fault} `not_found` when it went away since it was chosen */
  async agent(session: string, uri: string): Promise<CustomAgent> {
    const found = await (await this.#open()).agent(session, uri);
    if (!found) throw new Fault('not_found', 'The custom agent of this message is not there any more.');
    return found;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    (await this.#loaded)?.close();
  }

  #open(): Promise<SessionCustomizations> {
    const { store, schedule, isWatched, report, newId, askClient } = this.#deps;
    this.#loaded ??= import('../customizations/sessionCustomizations.ts').then(
      ({ SessionCustomizations }) =>
        new SessionCustomizations({
          store,
          schedule,
          isWatched,
          askClient: (clientId) => (method, params) => askClient(clientId, method, { channel: ROOT, ...params }),
          report: (thrown) => report(newId(), thrown),
        }),
    );
    return this.#loaded;
  }

  #tell(say: (it: SessionCustomizations) => void): void {
    this.#open()
      .then((it) => (this.#isClosed ? undefined : say(it)))
      .catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
  }
}

/** Why a message may not choose this custom agent, or `undefined`. */
export function refuseAgent(session: SessionState | undefined, uri: string): string | undefined {
  const isChosen = (holder: Customization) =>
    holder.enabled &&
    'children' in holder &&
    holder.children?.some(
      (it) => it.type === 'agent' && it.uri === uri && it.enabled !== false && !it.disableUserInvocation,
    );
  return session?.customizations?.some(isChosen)
    ? undefined
    : 'message.agent.uri: there is no such agent in this session';
}
