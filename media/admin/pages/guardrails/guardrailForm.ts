import * as z from 'zod';
import { GuardrailName } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import type { GuardrailAnswer } from '../../../../sidecar/protocol/gateway/guardrails/answers.ts';
import { guardrailDefinitions } from '../../../../sidecar/protocol/gateway/guardrails/index.ts';
import { fromHost, t } from '../../../shared/l10n.ts';
import { isMap } from '../../form/drafts.ts';
import { type FormField, type FormGroup, fieldOf, fieldsOf } from '../../form/formSpec.ts';
import { modeNames } from './modeNames.ts';

const schemas = new Map<string, z.ZodType>(
  guardrailDefinitions.map((it) => [
    it.guardrail,
    z.object({ guardrail_name: GuardrailName, gateway_params: it.params, secret: z.string().optional() }),
  ]),
);
/** Set by the gateway, or asked for in a way of their own. */
const ownFields: ReadonlySet<string> = new Set(['guardrail', 'mode', 'default_on', 'secret']);

/** What the form of a guardrail of a kind asks for. @param row a kept one, whose name and kind stay */
export function groupsOfGuardrail(kind: string, row?: GuardrailAnswer): readonly FormGroup[] {
  const definition = guardrailDefinitions.find((it) => it.guardrail === kind) ?? guardrailDefinitions[0];
  const schema = schemas.get(definition.guardrail) ?? z.never();
  const names = Object.keys(definition.fields).filter((it) => !ownFields.has(it));
  const modes = definition.modes.map((it) => ({ value: it, label: modeNames()[it] ?? it }));
  return [
    {
      title: t('Guardrail'),
      fields: [
        ...(row ? [] : fieldsOf(schema, { guardrail_name: { label: t('Name'), isRequired: true, help: '' } })),
        ...(row ? [] : [kindField(fromHost(definition.description))]),
        ...fieldsOf(schema, {
          'gateway_params.mode': { label: t('Mode'), kind: 'picks', options: modes, isRequired: true, help: '' },
          'gateway_params.default_on': {
            label: t('Check every call'),
            help: t('Otherwise, only keys, teams, and servers that list this guardrail use it.'),
          },
        }),
      ],
    },
    {
      title: t('Parameters'),
      fields: [
        // Each refers to others by the name that it has in the configuration file.
        ...fieldsOf(schema, Object.fromEntries(names.map((it) => [`gateway_params.${it}`, { label: it }]))).map(
          (it) => ({
            ...it,
            help: it.help && fromHost(it.help),
          }),
        ),
        ...('secret' in definition.fields
          ? fieldsOf(schema, {
              secret: { label: t('Secret'), kind: 'secret', help: t('For bearer or hmac. It is never shown.') },
            })
          : []),
      ],
    },
  ];
}

const kindField = (description: string): FormField =>
  fieldOf(
    'gateway_params.guardrail',
    { type: 'string', enum: guardrailDefinitions.map((it) => it.guardrail) },
    { label: t('Kind'), isRequired: true, help: description },
  );

/** What is sent of a guardrail: emptied fields are left out, and the gateway keeps the secret. */
export function guardrailBody(body: Record<string, unknown>, row?: GuardrailAnswer): Record<string, unknown> {
  const { gateway_params: given, secret, guardrail_name = row?.guardrail_name } = body;
  const params = Object.entries(isMap(given) ? given : (row?.gateway_params ?? {}));
  const kept = params.filter(([name, value]) => name !== 'secret' && value !== null);
  return { guardrail_name, gateway_params: Object.fromEntries(kept), ...(secret ? { secret } : {}) };
}
