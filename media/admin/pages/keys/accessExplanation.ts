import { html, nothing, type TemplateResult } from 'lit';
import * as z from 'zod';
import type { ExplainAnswer, KeyAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { icon } from '../../../shared/icon.ts';
import { t } from '../../../shared/l10n.ts';
import type { Values } from '../../form/collect.ts';
import { readPick } from '../../form/drafts.ts';
import { form } from '../../form/form.ts';
import { type FormField, fieldsOf } from '../../form/formSpec.ts';
import type { Session } from '../../kit/adminElement.ts';
import { openDialog } from '../../kit/dialog.ts';
import type { Option } from '../../kit/select.ts';
import { badge } from '../../records/cells.ts';
import { readLookups } from '../../records/lookups.ts';

const Question = z.object({
  server_id: z.string().nullish(),
  tool: z.string().nullish(),
  agent_id: z.string().nullish(),
  model: z.string().nullish(),
  end_user: z.string().nullish(),
});

/** Why may or may not this key use something: each level with what it said. */
export async function openExplain(session: Session, row: KeyAnswer): Promise<void> {
  const { servers, serverTools, agents, models } = await readLookups(session.routes);
  const fields = fieldsOf(Question, {
    server_id: { label: t('MCP server'), kind: 'record', options: servers },
    tool: {
      label: t('Tool'),
      options: toolNames(serverTools),
      help: t('The name the server uses for the tool. Leave empty to check access to the whole server.'),
    },
    agent_id: { label: t('Agent'), kind: 'record', options: agents },
    model: { label: t('Model'), options: models.filter((it) => !it.value.endsWith('*')) },
    end_user: { label: t('End user (optional)') },
  });
  let answer: ExplainAnswer | undefined;
  /** What was asked about. */
  let about = '';
  const name = row.key_alias || row.key_name;
  openDialog({
    title: t('Explain access for {0}', name),
    shape: 'side',
    body: (dialog) => html`
      ${form({
        submitLabel: t('Explain access'),
        groups: () => [{ title: '', fields }],
        submit: async (body) => {
          answer = await session.routes.explain({ ...body, token: row.token });
          about = aboutOf(body, fields);
          dialog.draw();
        },
      })}
      <div aria-live="polite">${answer ? drawAnswer(answer, name, about) : nothing}</div>`,
  });
}

const toolNames = (tools: readonly Option[]): readonly Option[] =>
  [...new Set(tools.map((it) => readPick(it.value).tool))]
    .filter((it) => it !== '')
    .map((value) => ({ value, label: value }));

/** A server, one of its tools, an agent or a model, as people call it. */
const aboutOf = (body: Values, fields: readonly FormField[]): string =>
  ['server_id', 'tool', 'agent_id', 'model']
    .flatMap((name) => {
      const value = body[name];
      if (typeof value !== 'string' || value === '') return [];
      return fields.find((it) => it.name === name)?.options?.find((it) => it.value === value)?.label ?? value;
    })
    .join('/');

function drawAnswer({ allowed, steps }: ExplainAnswer, name: string, about: string): TemplateResult {
  const looks = { allows: 'pass', forbids: 'circle-slash', 'says nothing': 'circle-outline' } as const;
  return html`<section class="verdict ${allowed ? 'is-good' : 'is-bad'}" aria-label=${t('Answer')}>
    <p>${allowed ? badge('good', 'pass', t('{0} has access to {1}', name, about)) : badge('bad', 'circle-slash', t('{0} has no access to {1}', name, about))}</p>
    <ol class="steps">
      ${steps.map((it) => html`<li class="is-${it.effect.replace(' ', '-')}">${icon(looks[it.effect])}<span>${it.says}</span></li>`)}
    </ol>
  </section>`;
}
