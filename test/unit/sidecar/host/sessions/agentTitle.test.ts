import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

describe('the title that an agent gives its conversation', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  async function open() {
    let title: string | undefined;
    const listeners = new Set<() => void>();
    const scripted = scriptedProvider(async function* () {}, {
      onOptions: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const provider: AgentProvider = {
      ...scripted,
      open: async (...context) => Object.defineProperty(await scripted.open(...context), 'title', { get: () => title }),
    };
    place = await openHostPlace([provider]);
    const peer = await place.connect('c1');
    const { session, chat } = await peer.newSession();
    const call = (name: string) => {
      title = name;
      for (const listener of listeners) listener();
    };
    const is = (name: string) => peer.until(() => peer.session(session).title === name, `the title is ${name}`);
    const prompt = async (text: string) => peer.ended(chat, await peer.prompt(chat, text));
    return { peer, session, call, is, prompt };
  }

  it('takes the place of the first words of the first message, and later titles take its place', async () => {
    const { call, is, prompt } = await open();
    await prompt('Please mend it');
    await is('Please mend it');
    call('Mending');
    await is('Mending');
    call('Mended');
    await is('Mended');
  });

  it('does not take the place of a title that a person gave', async () => {
    const { peer, session, call, is, prompt } = await open();
    await prompt('Please mend it');
    call('Mending');
    await is('Mending');
    await peer.act(session, { type: 'session/titleChanged', title: 'Mine' } as AnyAction);
    call('Mended');
    await prompt('And again');
    assert.equal(peer.session(session).title, 'Mine');
  });
});
