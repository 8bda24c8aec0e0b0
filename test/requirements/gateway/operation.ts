import { promisedBy } from '../promised.ts';

export const commandLine = promisedBy('README, For a team', {
  'gateway.command.help': '--help names the roles of the command, and the flags of each role.',
  'gateway.command.flags-judged':
    'A flag or role that is not known, or a flag without its value, is named with exit code 2, and nothing starts.',
  'gateway.command.listen': '--host and --port of the gateway go before its configuration.',
  'gateway.command.node': 'A Node that is too old is told which one is needed.',
});

export const imports = promisedBy('README, Gateway (configuration of other programs)', {
  'gateway.import.litellm-transport':
    'A server of a LiteLLM file without a transport is reached over streamable HTTP, as there.',
  'gateway.import.openapi-left-out': 'An OpenAPI entry of a LiteLLM file is left out, by name.',
  'gateway.import.no-secret-in-address':
    'A credential in an address of an imported file is not taken over, and is reported.',
});
