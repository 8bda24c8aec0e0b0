import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { AnnotationsState } from '../../../../sidecar/protocol/channels/annotations/schema.ts';
import { FollowedComments } from '../../../../src/changes/followedComments.ts';
import type { ChannelView } from '../../../../src/client/port.ts';

const state = { annotations: [] } as unknown as AnnotationsState;

describe('the comments of sessions', () => {
  let log: string[];
  let hosts: Map<string, string>;
  let changed: Map<string, () => void>;
  let comments: FollowedComments;
  beforeEach(() => {
    log = [];
    hosts = new Map();
    changed = new Map();
    const open = (uri: string) => {
      log.push(`open ${uri}`);
      return {
        shown: state,
        onDidChange: (listener: () => void) => {
          changed.set(uri, listener);
          return { dispose: () => void changed.delete(uri) };
        },
        dispose: () => void log.push(`dispose ${uri}`),
      } as unknown as ChannelView<never>;
    };
    comments = new FollowedComments({
      port: { open },
      hostOf: (session) => hosts.get(session) ?? '',
      show: (session, it) => void log.push(it ? `show ${session}` : `hide ${session}`),
    });
  });
  const [here, far] = ['host-session:/here', 'host-session:/far'];

  it('are read once, and shown again with each change', () => {
    comments.follow([here]);
    comments.follow([here]);
    changed.get(`${here}/annotations`)?.();
    assert.deepEqual(log, [`open ${here}/annotations`, `show ${here}`, `show ${here}`]);
  });

  it('leave the editor with the host that was detached from, and those of others stay', () => {
    hosts.set(far, 'build:4100');
    comments.follow([here, far]);
    log.length = 0;
    hosts.delete(far);
    comments.follow([here]);
    assert.deepEqual(log, [`dispose ${far}/annotations`, `hide ${far}`]);
    assert.deepEqual([...changed.keys()], [`${here}/annotations`]);
  });

  it('come back with a host that is attached to again', () => {
    hosts.set(far, 'build:4100');
    comments.follow([far]);
    hosts.delete(far);
    comments.follow([]);
    hosts.set(far, 'build:4100');
    log.length = 0;
    comments.follow([far]);
    assert.deepEqual(log, [`open ${far}/annotations`, `show ${far}`]);
  });

  it('are those of the twenty newest sessions', () => {
    comments.follow(Array.from({ length: 25 }, (_, at) => `host-session:/${at}`));
    assert.equal(changed.size, 20);
    log.length = 0;
    comments.dispose();
    assert.equal(changed.size, 0);
    assert.equal(log.filter((it) => it.startsWith('dispose ')).length, 20);
  });
});
