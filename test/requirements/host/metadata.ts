import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const protectedResource = promisedBy(`${document}, Protected resource metadata`, {
  'host.resource.resource': 'resource is required: an https URL without a fragment.',
  'host.resource.name': 'resource_name is a human-readable name.',
  'host.resource.authorization-servers': 'authorization_servers are identifier URLs of OAuth authorization servers.',
  'host.resource.jwks-uri': 'jwks_uri is the URL of the JWK Set document.',
  'host.resource.scopes': 'scopes_supported are OAuth 2.0 scope values.',
  'host.resource.bearer-methods': 'bearer_methods_supported are ways to present a bearer token.',
  'host.resource.signing-algorithms': 'resource_signing_alg_values_supported are JWS algorithms.',
  'host.resource.encryption-algorithms': 'resource_encryption_alg_values_supported are JWE alg values.',
  'host.resource.encryption-encodings': 'resource_encryption_enc_values_supported are JWE enc values.',
  'host.resource.documentation': 'resource_documentation is a URL.',
  'host.resource.policy': 'resource_policy_uri is the URL of the data-use policy.',
  'host.resource.terms': 'resource_tos_uri is the URL of the terms of service.',
  'host.resource.required': 'required true: the agent cannot be used without a valid token.',
  'host.resource.optional': 'required false: the agent works without a token.',
  'host.resource.required-default': 'A missing required is treated as true.',
});

export const icon = promisedBy(`${document}, Icon`, {
  'host.icon.src': 'src is required: an http or https URL, or a data URI with base64 image data.',
  'host.icon.content-type': 'contentType overrides the MIME type.',
  'host.icon.sizes': 'sizes are WxH or any; without them any size is assumed.',
  'host.icon.theme': 'theme is light or dark, the background it is made for; without it any theme is assumed.',
  'host.icon.trusted': 'Icons are loaded from trusted domains only, and SVG with care.',
});
