import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { AnnotationsState } from '../../../../sidecar/protocol/channels/annotations/schema.ts';
import { FollowedRemarks } from '../../../../src/changes/followedRemarks.ts';
import type { ChannelView } from '../../../../src/client/port.ts';

const state = { annotations: [] } as unknown as AnnotationsState;

describe('the remarks of sessions', () => {
  let log: string[];
  let hosts: Map<string, string>;
  let changed: Map<string, () => void>;
  let remarks: FollowedRemarks;
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
    remarks = new FollowedRemarks({
      port: { open },
      hostOf: (session) => hosts.get(session) ?? '',
      show: (session, it) => void log.push(it ? `show ${session}` : `hide ${session}`),
    });
  });
  const [here, far] = ['host-session:/here', 'host-session:/far'];

  it('are read once, and shown again with each change', () => {
    remarks.follow([here]);
    remarks.follow([here]);
    changed.get(`${here}/annotations`)?.();
    assert.deepEqual(log, [`open ${here}/annotations`, `show ${here}`, `show ${here}`]);
  });

  it('leave the editor with the host that was detached from, and those of others stay', () => {
    hosts.set(far, 'build:4100');
    remarks.follow([here, far]);
    log.length = 0;
    hosts.delete(far);
    remarks.follow([here]);
    assert.deepEqual(log, [`dispose ${far}/annotations`, `hide ${far}`]);
    assert.deepEqual([...changed.keys()], [`${here}/annotations`]);
  });

  it('are those of the twenty newest sessions', () => {
    remarks.follow(Array.from({ length: 25 }, (_, at) => `host-session:/${at}`));
    assert.equal(changed.size, 20);
    remarks.dispose();
    assert.equal(changed.size, 0);
  });
});
