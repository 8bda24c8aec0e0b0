import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { UserRole } from '../../../protocol/gateway/people.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Identity } from '../../auth/identity.ts';
import type { GroupRights } from '../../auth/pageCaller.ts';
import { type Claims, listClaim, textClaim } from '../../auth/people/claims.ts';
import type { CallerResolver } from '../../auth/resolve.ts';
import type { PageSession } from '../../storage/pageSessions.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { SignInOptions } from './contract.ts';
import { type IdentityProvider, NotVouched, type Vouch } from './identityProvider.ts';
import { isAllowed, rightsOf } from './mapping.ts';

/** How long a session goes on that the provider does not confirm, because it cannot be reached or gave no refresh token. */
export const UNCONFIRMED_MS = 60 * 60_000;

const Tokens = z.object({ refresh_token: z.string().optional(), id_token: z.string().optional() });
const Rights = z.object({
  user_role: UserRole.optional(),
  default_role: UserRole,
  teams: z.record(z.string(), z.enum(['admin', 'user'])),
  organizations: z.record(z.string(), z.enum(['org_admin', 'internal_user'])),
});

export interface SessionsDeps extends Pick<Runtime, 'clock' | 'newId' | 'log'> {
  readonly options: SignInOptions;
  readonly provider: IdentityProvider;
  readonly store: Pick<GatewayStore, 'pageSessions'>;
  readonly callers: Pick<CallerResolver, 'byUser'>;
}

/** Sessions of people, which end with those at the identity provider. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #checks = new Map<string, Promise<GroupRights>>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  async begin(userId: string, issuer: string, { claims, tokens }: Vouch): Promise<{ id: string; untilMs: number }> {
    const { options, store, clock, newId } = this.#deps;
    const nowMs = clock.nowMs();
    const id = newId();
    const untilMs = nowMs + options.session_hours * 3_600_000;
    await store.pageSessions.add({
      id,
      user_id: userId,
      issuer,
      subject: textClaim(claims, 'sub') ?? '',
      provider_session: textClaim(claims, 'sid') ?? null,
      until_ms: untilMs,
      checked_ms: nowMs,
      confirmed_ms: nowMs,
      rights: JSON.stringify(this.#rights(claims)),
      tokens,
    });
    return { id, untilMs };
  }

  /** @throws {Fault} `auth_required` where it is over; `unavailable` */
  async callerOf(id: string, identity: Identity): Promise<Caller> {
    const session = await this.#read(id);
    return this.#deps.callers.byUser(session.user_id, await this.#current(session), identity);
  }

  /** @returns what it held, for a sign-out at the provider */
  async end(id: string): Promise<z.infer<typeof Tokens> | undefined> {
    const { pageSessions } = this.#deps.store;
    const session = await pageSessions.get(id);
    await pageSessions.remove(id);
    return session && Tokens.parse(session.tokens);
  }

  async #read(id: string): Promise<PageSession> {
    const { store, clock } = this.#deps;
    const session = await store.pageSessions.get(id);
    const nowMs = clock.nowMs();
    if (!session || nowMs >= session.until_ms || nowMs >= session.confirmed_ms + UNCONFIRMED_MS) throw over();
    return session;
  }

  /** What the groups give now, or gave when the provider was asked lately. */
  async #current(session: PageSession): Promise<GroupRights> {
    const { options, clock, store } = this.#deps;
    const { id, checked_ms } = session;
    const nowMs = clock.nowMs();
    const known = Rights.parse(JSON.parse(session.rights));
    const underWay = this.#checks.get(id);
    if (underWay) return underWay;
    const { refresh_token } = Tokens.parse(session.tokens);
    if (refresh_token === undefined || nowMs < checked_ms + options.recheck_s * 1_000) return known;
    if (!(await store.pageSessions.takeCheck(id, checked_ms, nowMs))) return this.#checks.get(id) ?? known;
    const checked = this.#check(session, { ...Tokens.parse(session.tokens), refresh_token }, known).finally(() =>
      this.#checks.delete(id),
    );
    this.#checks.set(id, checked);
    return checked;
  }

  /** @throws {Fault} `auth_required` where the provider does not vouch for the person any more */
  async #check(
    { id, issuer, subject, user_id }: PageSession,
    tokens: z.infer<typeof Tokens> & { readonly refresh_token: string },
    known: GroupRights,
  ): Promise<GroupRights> {
    const { options, provider, store, clock, log } = this.#deps;
    try {
      const client = await provider.client();
      // The configuration may name another provider since, which is not to get the tokens of this one.
      if (client.issuer !== issuer) throw new NotVouched('the session is one with another provider');
      const vouch = await client.refresh(tokens, subject);
      if (!isAllowed(options, vouch.claims)) throw new NotVouched('the person may not sign in any more');
      const rights = this.#rights(vouch.claims);
      await store.pageSessions.confirm(id, clock.nowMs(), JSON.stringify(rights), vouch.tokens);
      return rights;
    } catch (thrown) {
      if (thrown instanceof NotVouched) {
        await store.pageSessions.remove(id);
        log.info({ user_id }, 'The identity provider did not confirm a session, so it ended.');
        throw over();
      }
      // Until UNCONFIRMED_MS are over, a provider that cannot be reached signs nobody out.
      if (thrown instanceof Fault && thrown.code === 'unavailable') return known;
      throw thrown;
    }
  }

  #rights(claims: Claims): GroupRights {
    const { options } = this.#deps;
    return rightsOf(options, listClaim(claims, options.groups_claim));
  }
}

const over = () =>
  new Fault('auth_required', 'Your session is over. Sign in again.', { data: { reason: 'auth_error' } });
