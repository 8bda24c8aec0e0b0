import type { TemplateResult } from 'lit';
import type { McpServerAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { McpServerCreate, mcpServerShape } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../../shared/l10n.ts';
import { type FieldLabels, type FormGroup, fieldsOf } from '../../form/formSpec.ts';

/** The choice of the form for a server with a `spec_path`, whose transport is http. */
export const openApi = 'openapi';
const transportNames = { http: 'HTTP', sse: 'SSE', stdio: 'stdio' } as const;
export const transportOptions = [
  ...mcpServerShape.transport.options.map((it) => ({ value: it, label: transportNames[it] })),
  { value: openApi, label: 'OpenAPI' },
];

/** The transport that the form shows. */
export const transportOf = (server: Pick<McpServerAnswer, 'transport' | 'spec_path'>): string =>
  server.spec_path ? openApi : server.transport;
export const transportWords = (server: Pick<McpServerAnswer, 'transport' | 'spec_path'>): string =>
  server.spec_path ? 'OpenAPI' : transportNames[server.transport];

/** Where the document and the API are. */
export const apiFields = (): Readonly<Record<string, FieldLabels>> => ({
  spec_path: {
    label: t('OpenAPI document'),
    isRequired: true,
    placeholder: 'https://api.example.com/openapi.json',
    help: t('The address of an OpenAPI 3.0 or 3.1 document. Each operation is a tool.'),
  },
  url: {
    label: t('Address of the API'),
    placeholder: 'https://api.example.com/v1',
    help: t('If empty, calls go to the server in the document, which must have the same address.'),
  },
});

const pathHelp = () => t('* stands for any characters, as in /pets/*.');
const oneMethod = { kind: 'lines', placeholder: 'get' } as const;

/** Which operations are tools. @param note shown above the fields */
export const operationsGroup = (note: TemplateResult | undefined): FormGroup => ({
  title: t('Operations'),
  note,
  fields: fieldsOf(McpServerCreate, {
    'openapi.include.operations': { label: t('Only operations') },
    'openapi.include.tags': { label: t('Only tags') },
    'openapi.include.methods': { label: t('Only methods'), ...oneMethod },
    'openapi.include.paths': { label: t('Only paths'), help: pathHelp() },
    'openapi.exclude.operations': { label: t('Except operations') },
    'openapi.exclude.tags': { label: t('Except tags') },
    'openapi.exclude.methods': { label: t('Except methods'), ...oneMethod },
    'openapi.exclude.paths': { label: t('Except paths'), help: pathHelp() },
  }),
});
