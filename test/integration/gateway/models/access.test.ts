import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered } from '../../../support/models/provider.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

for (const defaultAccess of ['none', 'all'] as const) {
  describe(`the models that a key can use with default access '${defaultAccess}'`, () => {
    verifies('gateway.models.closed');
    let stand: Stand;
    const names = ['cheap', 'smart'];
    const isOpen = defaultAccess === 'all';

    before(async () => {
      stand = await openStand({ defaultAccess });
      for (const name of names) await addModel(stand, name, 'chat');
      const { store } = stand.gateway;
      const bundle = { access_group_name: 'models', access_model_names: ['cheap'] };
      await store.access_group.insert({ access_group_id: 'g', ...bundle, ...stamps });
      await store.team.insert({ team_id: 'wide', models: ['cheap', 'smart'], ...stamps });
      await store.team.insert({
        team_id: 'narrow',
        models: ['cheap'],
        members_with_roles: [{ role: 'user', user_id: 'ada', allowed_models: ['smart'] }],
        ...stamps,
      });
      await store.organization.insert({ organization_id: 'org', models: ['cheap'], ...stamps });
      stand.backend.answer = answered({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
    });
    after(() => stand.close());
    beforeEach(() => void stand.backend.heard.splice(0));

    const rows: readonly [says: string, key: object, may: readonly string[]][] = [
      ['says nothing', {}, isOpen ? names : []],
      ['has an empty list beside its permissions', { models: [] }, isOpen ? names : []],
      ['has an empty list in its permissions', { object_permission: { models: [] } }, []],
      ['names one in its permissions', { object_permission: { models: ['smart'] } }, ['smart']],
      ['names one beside its permissions', { models: ['smart'] }, ['smart']],
      ['names all', { models: ['all-proxy-models'] }, names],
      ['names all of its team but has no team', { models: ['all-team-models'] }, isOpen ? names : []],
      ['names all of its team', { models: ['all-team-models'], team_id: 'narrow' }, ['cheap']],
      ['names none', { models: ['no-default-models', 'smart'], team_id: 'wide' }, []],
      ['has an access group', { access_group_ids: ['g'] }, ['cheap']],
      ['names what its team does not', { models: ['smart'], team_id: 'narrow' }, []],
      ['belongs to a team member who can use other models', { user_id: 'ada', team_id: 'narrow' }, []],
      ['says nothing and belongs to a team', { team_id: 'wide' }, names],
      [
        'names all and belongs to an organization that has one',
        { models: ['all-proxy-models'], organization_id: 'org' },
        ['cheap'],
      ],
    ];
    for (const [says, key, may] of rows) {
      it(`are ${may.join(' and ') || 'none'} if the key ${says}, both in lists and in calls`, async () => {
        const own = await stand.addKey(key);
        const listed = (await (await stand.as(own, '/v1/models')).json()) as { data: { id: string }[] };
        assert.deepEqual(
          listed.data.map((it) => it.id),
          may,
        );
        for (const model of [...names, 'unknown']) {
          const body = JSON.stringify({ model, messages: [] });
          const answer = await stand.as(own, '/v1/chat/completions', { method: 'POST', body });
          const { error } = (await answer.json()) as { error?: { type: string; message: string } };
          assert.equal(answer.status, may.includes(model) ? 200 : 403, model);
          const refusal = `This key is not allowed to use the model '${model}', or it does not exist.`;
          if (!may.includes(model))
            assert.deepEqual([error?.type, error?.message], ['key_model_access_denied', refusal]);
        }
        assert.equal(stand.backend.heard.length, may.length);
      });
    }
  });
}
