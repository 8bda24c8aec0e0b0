import { promisedBy } from '../promised.ts';

export const commandLine = promisedBy('README, For a team', {
  'gateway.command.help': '--help names the roles of the command, and the flags of each role.',
  'gateway.command.flags-judged':
    'A flag or role that is not known, or a flag without its value, is named with exit code 2, and nothing starts.',
  'gateway.command.listen': '--host and --port of the gateway go before its configuration.',
  'gateway.command.node': 'A Node that is too old is told which one is needed.',
});
