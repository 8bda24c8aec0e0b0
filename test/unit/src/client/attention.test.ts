import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../sidecar/protocol/status.ts';
import { Attention } from '../../../../src/client/attention.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import { shellRequest, summary } from '../../../support/extensionStates.ts';

describe('what waits for a person', () => {
  let sessions: SessionSummary[];
  let listed: Listeners<{ kind: 'list' }>;
  let opened: string[];
  /** By session, of what is open. */
  let views: Map<string, { changed: Listeners<void>; shown: unknown }>;
  let attention: Attention;
  let changes: number;
  const { request } = shellRequest('npm test');
  const asking = (name: string, createdAt: string) =>
    summary({ resource: `host-session:/${name}`, createdAt, status: status.InputNeeded });
  beforeEach(() => {
    [listed, opened, views, changes] = [new Listeners(), [], new Map(), 0];
    sessions = [asking('young', '2026-02-02T00:00:00Z'), asking('old', '2026-01-01T00:00:00Z')];
    const catalogue = {
      get sessions() {
        return sessions;
      },
      get: (uri: string) => sessions.find((it) => it.resource === uri),
      onDidChange: (listener: (change: { kind: 'list' }) => void) => listed.add(listener),
    };
    const port = {
      open: (uri: string) => {
        opened.push(uri);
        const view = { changed: new Listeners<void>(), shown: { inputNeeded: [] as unknown[] } };
        views.set(uri, view);
        return {
          get shown() {
            return views.get(uri)?.shown;
          },
          onDidChange: (listener: () => void) => view.changed.add(listener),
          dispose: () => void views.delete(uri),
        };
      },
    };
    attention = new Attention(port as never, catalogue as never);
    attention.onDidChange(() => (changes += 1));
  });
  const needs = (name: string, ...requests: unknown[]) => {
    const view = views.get(`host-session:/${name}`)!;
    view.shown = { inputNeeded: requests };
    view.changed.fire();
  };
  const keys = () => attention.pending.map((it) => it.key);

  it('is listed by the age of its session, and is found by its key', () => {
    assert.deepEqual(opened, ['host-session:/young', 'host-session:/old']);
    needs('young', { ...request, id: 'a' });
    needs('old', { ...request, id: 'b' }, { ...request, id: 'c' });
    assert.deepEqual(keys(), ['host-session:/old#b', 'host-session:/old#c', 'host-session:/young#a']);
    assert.equal(changes, 2);
    assert.equal(attention.find('host-session:/old#c')?.request.id, 'c');
    assert.equal(attention.find('host-session:/old#a'), undefined);
  });

  it('is not what a program answers by itself', () => {
    needs('old', { ...request, id: 'a', kind: 'toolClientExecution' }, { ...request, id: 'b' });
    assert.deepEqual(keys(), ['host-session:/old#b']);
  });

  it('opens each session once, and leaves it when it waits no more or is gone', () => {
    needs('old', { ...request, id: 'a' });
    listed.fire({ kind: 'list' });
    assert.deepEqual([opened.length, changes], [2, 2], 'titles may have changed');
    const [, old] = sessions;
    sessions = [{ ...sessions[0]!, status: status.Idle }];
    const left = views.get(old!.resource)!;
    listed.fire({ kind: 'list' });
    assert.deepEqual([views.size, keys()], [0, []]);
    const seen = changes;
    left.changed.fire();
    assert.equal(changes, seen, 'nobody listens there any more');
    sessions = [old!];
    listed.fire({ kind: 'list' });
    assert.deepEqual([opened.length, views.size], [3, 1]);
  });

  it('is not listed any more once its session is out of the list', () => {
    needs('old', { ...request, id: 'a' });
    sessions = [sessions[0]!];
    assert.deepEqual(keys(), []);
  });

  it('is followed no more after its end', () => {
    needs('old', { ...request, id: 'a' });
    const kept = views.get('host-session:/old')!;
    attention.dispose();
    assert.deepEqual([views.size, keys()], [0, []]);
    kept.changed.fire();
    listed.fire({ kind: 'list' });
    assert.deepEqual([changes, opened.length], [1, 2]);
  });
});
