import { describe, it } from 'mocha';
import {
  ContentRef,
  ErrorInfo,
  FileEdit,
  Icon,
  ProtectedResourceMetadata,
  TextPosition,
  TextRange,
  TextSelection,
  UsageInfo,
} from '../../../../sidecar/protocol/shared.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const position = { line: 0, character: 3 };
const range = { start: position, end: { line: 2, character: 0 } };
const ref = { uri: 'host-content:/1/a' };

describe('shared types', () => {
  it('ProtectedResourceMetadata has the members of its table', () => {
    verifies(
      'host.resource.resource',
      'host.resource.name',
      'host.resource.authorization-servers',
      'host.resource.jwks-uri',
      'host.resource.scopes',
      'host.resource.bearer-methods',
      'host.resource.signing-algorithms',
      'host.resource.encryption-algorithms',
      'host.resource.encryption-encodings',
      'host.resource.documentation',
      'host.resource.policy',
      'host.resource.terms',
    );
    checkShape(ProtectedResourceMetadata, {
      required: { resource: 'https://api.test/mcp' },
      optional: {
        resource_name: 'Api',
        authorization_servers: ['https://login.test'],
        jwks_uri: 'https://api.test/jwks',
        scopes_supported: ['read'],
        bearer_methods_supported: ['header'],
        resource_signing_alg_values_supported: ['RS256'],
        resource_encryption_alg_values_supported: ['RSA-OAEP'],
        resource_encryption_enc_values_supported: ['A256GCM'],
        resource_documentation: 'https://api.test/docs',
        resource_policy_uri: 'https://api.test/policy',
        resource_tos_uri: 'https://api.test/terms',
        required: false,
      },
    });
  });

  it('Icon has the members of its table, and themes of tomorrow', () => {
    verifies('host.icon.src', 'host.icon.content-type', 'host.icon.sizes', 'host.icon.theme');
    checkShape(Icon, {
      required: { src: 'data:image/png;base64,AAAA' },
      optional: { contentType: 'image/png', sizes: ['16x16', 'any'], theme: 'dark' },
    });
    accepts(Icon, { src: 'https://icons.test/a.svg', theme: 'sepia' });
  });

  it('positions, ranges and selections have theirs', () => {
    verifies('host.content.position', 'host.content.range', 'host.content.selection');
    checkShape(TextPosition, { required: position });
    checkShape(TextRange, { required: range });
    checkShape(TextSelection, { required: { range } });
  });

  it('ContentRef has its URI, and what is known of the content', () => {
    verifies('host.content.ref');
    checkShape(ContentRef, { required: ref, optional: { sizeHint: 3, contentType: 'text/plain', nonce: 'n' } });
  });

  it('FileEdit has either side, both or none', () => {
    verifies(
      'host.content.edit-sides',
      'host.content.edit-diff',
      'host.content.edit-creation',
      'host.content.edit-deletion',
      'host.content.edit-rename',
      'host.content.edit-change',
    );
    const side = { uri: 'file:///a', content: ref };
    checkShape(FileEdit, { required: {}, optional: { before: side, after: side, diff: { added: 1, removed: 0 } } });
    accepts(FileEdit, { after: side });
    accepts(FileEdit, { before: side });
    accepts(FileEdit, { before: side, after: { ...side, uri: 'file:///b' } });
    refuses(FileEdit, { before: { uri: 'file:///a' } }, 'before');
    refuses(FileEdit, { after: { content: ref } }, 'after');
    refuses(FileEdit, { diff: { added: '1' } }, 'diff');
  });

  it('UsageInfo and ErrorInfo have theirs', () => {
    verifies('host.usage.tokens', 'host.error-info');
    checkShape(UsageInfo, {
      required: {},
      optional: { inputTokens: 1, outputTokens: 2, model: 'm', cacheReadTokens: 3, _meta: { a: 1 } },
    });
    checkShape(ErrorInfo, {
      required: { errorType: 'provider', message: 'gone' },
      optional: { stack: 'at a', _meta: { a: 1 } },
    });
  });
});
