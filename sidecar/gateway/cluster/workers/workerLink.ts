import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ChannelEnd } from '../../../launch/gateway/gatewayContract.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Guardrail } from '../../../protocol/gateway/guardrail.ts';
import { type ProcessFigures, summed } from '../../activity/telemetry/processFigures.ts';
import type { HandOver } from '../../http/app.ts';
import type { EndedCall, LineFacts } from '../../storage/activity/endedCall.ts';
import type { GatewayDatabase } from '../../storage/database/database.ts';
import type { KindName } from '../../storage/kinds.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { Channel } from './channel.ts';
import type { OwnerSide, WorkerSide } from './contract.ts';
import { handingOver } from './handOver.ts';
import { Numbers } from './numbered.ts';
import { ownersDatabase } from './ownersDatabase.ts';
import { OwnersLimits } from './ownersLimits.ts';

/** What a worker has of its owner. */
export interface WorkerLink {
  readonly port: number;
  readonly limits: OwnersLimits;
  readonly handOver: HandOver;
  guardrails(): readonly Guardrail[];
  openDatabase(): Promise<GatewayDatabase>;
  ended(call: EndedCall): void;
  refused(endpoint: string): void;
  credentialRefused(): void;
  /** Gets the connections of callers from now on. */
  serveOn(server: Server): void;
  /** The gateway of the worker serves. @param isShared it learns itself of what others write */
  begin(gateway: WorkerGateway, isShared: boolean): void;
  line(text: string): void;
  flush(): void;
}
export interface WorkerGateway {
  readonly store: Pick<GatewayStore, 'changes'>;
  figures(): ProcessFigures;
  close(graceMs: number, leaveMs: number): Promise<void>;
}

/** @param end the process itself @param left called when the gateway of the worker was closed */
export async function openWorkerLink(
  end: ChannelEnd,
  { timers }: Pick<Runtime, 'timers'>,
  left: () => void,
): Promise<WorkerLink> {
  let guardrails: readonly Guardrail[] = [];
  let gateway: WorkerGateway | undefined;
  let isLeaving = false;
  let isHearing = false;
  /** While the worker starts, which may have read what they are about. */
  const missed: (readonly [KindName, string])[] = [];
  const emit = ({ store }: WorkerGateway, kind: KindName, id: string) => {
    isHearing = true;
    store.changes.emit(kind, id);
    isHearing = false;
  };
  const ours: WorkerSide = {
    changed(kind, id) {
      if (gateway) emit(gateway, kind, id);
      else missed.push([kind, id]);
    },
    guardrails(now) {
      guardrails = now;
    },
    figures: () => gateway?.figures() ?? summed([]),
    leave(graceMs, leaveMs) {
      isLeaving = true;
      const closed = gateway?.close(graceMs, leaveMs) ?? Promise.resolve();
      void closed
        .then(() => owner.ask('known'))
        .catch(() => undefined)
        .finally(left);
    },
  };
  let server: Server | undefined;
  const onSocket = (socket: Socket) => {
    socket.setNoDelay(true); // as a server does that accepts by itself
    if (server) server.emit('connection', socket);
    else socket.destroy();
  };
  const owner = new Channel<OwnerSide, WorkerSide>(end, ours, timers, onSocket);
  const begun = await owner.ask('begin');
  guardrails = begun.guardrails;
  const kinds = new Numbers<LineFacts>();
  return {
    port: begun.port,
    limits: new OwnersLimits(owner),
    handOver: handingOver(begun.pipe, () => isLeaving),
    guardrails: () => guardrails,
    openDatabase: async () =>
      ownersDatabase({
        run: (database, statements) => owner.ask('run', database, statements),
        rollback: () => owner.ask('rollback'),
      }),
    ended: ({ facts, ...call }) => owner.tell('ended', { ...call, facts: kinds.of(facts.of) }),
    refused: (endpoint) => owner.tell('refused', endpoint),
    credentialRefused: () => owner.tell('credentialRefused'),
    serveOn(it) {
      server = it;
    },
    begin(it, isShared) {
      gateway = it;
      if (!isShared)
        it.store.changes.listen((kind, id) => {
          if (!isHearing) owner.tell('changed', kind, id);
        });
      for (const [kind, id] of missed.splice(0)) emit(it, kind, id);
      owner.tell('ready');
    },
    line: (text) => owner.tell('line', text),
    flush: () => owner.flush(),
  };
}
