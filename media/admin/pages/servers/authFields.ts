import type { AuthTypeDefinition } from '../../../../sidecar/protocol/gateway/authTypes/definition.ts';
import { authTypeOf, isSecretField } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { t } from '../../../shared/l10n.ts';
import type { FieldLabels } from '../../form/formSpec.ts';

/** What the form of a server asks for an auth type. Nothing for one that this build does not know. */
export function authFields(authType: string, flow: string): Readonly<Record<string, FieldLabels>> {
  const fields: AuthTypeDefinition['fields'] = authTypeOf(authType)?.fields ?? {};
  const shown = Object.entries(fields).filter(([, it]) => it.hiddenWith === undefined || it.hiddenWith !== flow);
  return Object.fromEntries(
    shown.map(([path, { label, help, isRequired }]) => [
      path,
      {
        label: t(label),
        ...(help !== undefined && { help: t(help) }),
        ...(isRequired && { isRequired }),
        ...(isSecretField(path) && { kind: 'secret' as const }),
      },
    ]),
  );
}
