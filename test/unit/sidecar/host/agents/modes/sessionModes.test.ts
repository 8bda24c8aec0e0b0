import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionOptions } from '../../../../../../sidecar/agents/options.ts';
import type { AgentSession } from '../../../../../../sidecar/agents/provider.ts';
import { openAsking, SessionModes } from '../../../../../../sidecar/host/agents/modes/sessionModes.ts';
import type { ConfigValues } from '../../../../../../sidecar/protocol/configSchemas.ts';
import { outcomeOf } from '../../../../../support/outcomeOf.ts';

describe('the mode of an agent', () => {
  /** An agent with two modes. @param takes whether it goes where it is set */
  function agentIn(mode: string, takes: (tries: number) => boolean = () => true) {
    const asked: ConfigValues[] = [];
    const options = (value: string): SessionOptions => ({
      models: [],
      commands: [],
      properties: [
        {
          id: 'mode',
          title: 'Mode',
          value,
          values: [
            { id: 'bypass', label: 'Bypass', agentDecides: true },
            { id: 'plan', label: 'Plan' },
            { id: 'default', label: 'Default' },
          ],
        },
      ],
    });
    const agent = {
      options: options(mode),
      async configure(values: ConfigValues) {
        asked.push(values);
        await Promise.resolve(); // an agent takes its time
        if (takes(asked.length)) agent.options = options(String(values['mode']));
      },
    };
    return { agent: agent as Pick<AgentSession, 'configure' | 'options'>, asked };
  }
  const modeOf = ({ options }: Pick<AgentSession, 'options'>) => options.properties[0]?.value;

  it('is set to the one that asks before it is used, where nobody chose otherwise', async () => {
    const { agent, asked } = agentIn('bypass');
    await openAsking(agent, 'Agent', {});
    assert.deepEqual([modeOf(agent), asked], ['default', [{ mode: 'default' }]]);
  });
  for (const [says, mode, chosen] of [
    ['asks already', 'plan', {}],
    ['was chosen', 'bypass', { mode: 'bypass' }],
  ] as const)
    it(`stays where it ${says}`, async () => {
      const { agent, asked } = agentIn(mode);
      await openAsking(agent, 'Agent', chosen);
      assert.deepEqual([modeOf(agent), asked], [mode, []]);
    });
  it('is the one that was chosen where that asks', async () => {
    const { agent } = agentIn('bypass');
    await openAsking(agent, 'Agent', { mode: 'plan' });
    assert.equal(modeOf(agent), 'plan');
  });
  for (const [says, takes, tries] of [
    ['takes it at the third time', (n: number) => n === 3, 3],
    ['never takes it', () => false, 3],
  ] as const)
    it(`is set three times at most, where the agent ${says}`, async () => {
      const { agent, asked } = agentIn('bypass', takes);
      const words = await outcomeOf(openAsking(agent, 'Agent', {}));
      assert.equal(asked.length, tries);
      assert.equal(words === 'done', modeOf(agent) === 'default');
      if (words !== 'done') assert.match(words, /^unavailable Agent started in a mode that does not ask for approval/);
    });
  it('makes an agent of no use that refuses it, or has no way to be set', async () => {
    const { agent } = agentIn('bypass');
    const refusing = { ...agent, configure: () => Promise.reject(new Error('no')) };
    assert.match(await outcomeOf(openAsking(refusing, 'Agent', {})), /^unavailable /);
    assert.match(await outcomeOf(openAsking({ options: agent.options }, 'Agent', {})), /^unavailable /);
  });
  it('is held: an agent that leaves it is set back, once for all of its changes meanwhile, and else ended', async () => {
    const modes = new SessionModes();
    let ended = 0;
    const end = async () => void (ended += 1);
    const { agent, asked } = agentIn('bypass');
    await Promise.all([modes.hold(agent, () => ({}), end), modes.hold(agent, () => ({}), end)]);
    assert.deepEqual([modeOf(agent), asked.length, ended], ['default', 1, 0]);
    const stubborn = agentIn('bypass', () => false);
    await modes.hold(stubborn.agent, () => ({}), end);
    assert.equal(ended, 1);
    await modes.hold(stubborn.agent, () => ({}), end);
    assert.equal(ended, 2);
  });
  it('is what was chosen last in its session, until that is forgotten', () => {
    const modes = new SessionModes();
    modes.chose('s', { mode: 'bypass', model: 'a' });
    modes.chose('s', { mode: 'plan' });
    const state = { config: { values: { mode: 'default', effort: 'high' } } } as never;
    assert.deepEqual(modes.chosen('s', state), { mode: 'plan', effort: 'high', model: 'a' });
    assert.deepEqual(modes.chosen('other', undefined), {});
    modes.forget('s');
    assert.deepEqual(modes.chosen('s', state), { mode: 'default', effort: 'high' });
  });
});
