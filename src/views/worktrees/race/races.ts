import { Race } from '../../../../sidecar/protocol/channels/session/race.ts';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { type SetUp, setUpOf } from '../../../../sidecar/protocol/channels/session/setUp.ts';

export interface Racer {
  readonly session: SessionSummary;
  readonly race: Race;
  readonly setUp: SetUp | undefined;
}

/** A race, read from its sessions. */
export interface RaceOf {
  readonly id: string;
  /** Its prompt, shortened. */
  readonly title: string;
  /** In the order in which they began. */
  readonly racers: readonly Racer[];
}

/** Newest first. */
export function racesOf(sessions: readonly SessionSummary[]): RaceOf[] {
  const racers = sessions.flatMap((session) => {
    const { data } = Race.safeParse(session._meta?.['race']);
    return data ? [{ session, race: data, setUp: setUpOf(session._meta) }] : [];
  });
  racers.sort((a, b) => begin(a).localeCompare(begin(b)));
  const ids = [...new Set(racers.map((it) => it.race.id))].reverse();
  return ids.map((id) => {
    const own = racers.filter((it) => it.race.id === id);
    return { id, title: own.find((it) => it.session.title !== '')?.session.title ?? '', racers: own };
  });
}

const begin = ({ session }: Racer) => `${session.createdAt} ${session.resource}`;
