import fc from 'fast-check';
import type { AnnotationsAction } from '../../../sidecar/protocol/channels/annotations/schema.ts';
import type { ChangesetAction, ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { RootAction, RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { TerminalAction, TerminalState } from '../../../sidecar/protocol/channels/terminal/schema.ts';
import { action, directory, error, maybe, text } from './arbitraryActions.ts';

type Members = Record<string, fc.Arbitrary<unknown>>;
const root = (type: RootAction['type'], members: Members) => action<RootAction>({ type, ...members } as never);
const terminal = (type: TerminalAction['type'], members: Members = {}) =>
  action<TerminalAction>({ type, ...members } as never);
const annotations = (type: AnnotationsAction['type'], members: Members) =>
  action<AnnotationsAction>({ type, ...members } as never);
const changeset = (type: ChangesetAction['type'], members: Members = {}) =>
  action<ChangesetAction>({ type, ...members } as never);

const id = fc.constantFrom('x', 'y');
const small = fc.integer({ min: 0, max: 3 });
const claim = fc.constantFrom(
  { kind: 'client', clientId: 'a' },
  { kind: 'session', session: 'host-session:/1', turnId: 't1', toolCallId: 'k1' },
);

export const rootAction: fc.Arbitrary<RootAction> = fc.oneof(
  root('root/agentsChanged', { agents: fc.constant([]) }),
  root('root/activeSessionsChanged', { activeSessions: small }),
  root('root/terminalsChanged', { terminals: fc.constant([]) }),
  root('root/configChanged', { config: fc.dictionary(id, small), replace: maybe(fc.boolean()) }),
);
export const emptyRoot: RootState = {
  agents: [],
  config: { schema: { type: 'object', properties: {} }, values: {} },
};

export const terminalAction: fc.Arbitrary<TerminalAction> = fc.oneof(
  { weight: 4, arbitrary: terminal('terminal/data', { data: text }) },
  terminal('terminal/input', { data: text }),
  terminal('terminal/resized', { cols: small, rows: small }),
  terminal('terminal/claimed', { claim }),
  terminal('terminal/titleChanged', { title: text }),
  terminal('terminal/cwdChanged', { cwd: directory }),
  terminal('terminal/exited', { exitCode: maybe(small) }),
  terminal('terminal/cleared'),
  terminal('terminal/commandDetectionAvailable'),
  {
    weight: 2,
    arbitrary: terminal('terminal/commandExecuted', { commandId: id, commandLine: text, timestamp: small }),
  },
  {
    weight: 2,
    arbitrary: terminal('terminal/commandFinished', {
      commandId: id,
      exitCode: maybe(small),
      durationMs: maybe(small),
    }),
  },
);
export const emptyTerminal: TerminalState = { title: 't', content: [], claim: { kind: 'client', clientId: 'a' } };

const entry = fc.record({ id, text: fc.oneof(text, fc.constant({ markdown: '*a*' })) });
const range = fc.constant({ start: { line: 1, character: 0 }, end: { line: 2, character: 3 } });
const annotation = fc.record({
  id,
  turnId: fc.constant('t1'),
  resource: directory,
  resolved: fc.boolean(),
  entries: fc.array(entry, { minLength: 1, maxLength: 2 }),
});
export const annotationsAction: fc.Arbitrary<AnnotationsAction> = fc.oneof(
  { weight: 2, arbitrary: annotations('annotations/set', { annotation }) },
  annotations('annotations/updated', { annotationId: id, range: maybe(range), resolved: maybe(fc.boolean()) }),
  annotations('annotations/removed', { annotationId: id }),
  annotations('annotations/entrySet', { annotationId: id, entry }),
  annotations('annotations/entryRemoved', { annotationId: id, entryId: id }),
);

const status = fc.constantFrom('computing', 'recomputing', 'ready', 'error');
const file = fc.record({ id, edit: fc.constant({ diff: { added: 1, removed: 0 } }) });
const operation = fc.record({
  id,
  label: text,
  scopes: fc.constant(['changeset']),
  status: fc.constantFrom('idle', 'running'),
});
const operations = fc.array(operation, { maxLength: 2 });
export const changesetAction: fc.Arbitrary<ChangesetAction> = fc.oneof(
  changeset('changeset/statusChanged', { status, error: maybe(error) }),
  { weight: 2, arbitrary: changeset('changeset/fileSet', { file }) },
  changeset('changeset/fileRemoved', { fileId: id }),
  { weight: 2, arbitrary: changeset('changeset/filesReviewChanged', { files: fc.array(id), reviewed: fc.boolean() }) },
  changeset('changeset/contentChanged', {
    files: fc.array(file, { maxLength: 2 }),
    operations: maybe(operations),
    error: maybe(error),
  }),
  changeset('changeset/operationsChanged', { operations: maybe(operations) }),
  changeset('changeset/operationStatusChanged', {
    operationId: id,
    status: fc.constantFrom('idle', 'error'),
    error: maybe(error),
  }),
  changeset('changeset/cleared'),
);
export const emptyChangeset: ChangesetState = { status: 'computing', files: [] };
