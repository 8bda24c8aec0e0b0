import { promisedBy } from '../promised.ts';

export const modes = promisedBy('README, Security in plain words', {
  'host.mode.chosen':
    'A mode in which an agent decides by itself holds only in the session in which a client chose it.',
  'host.mode.not-inherited': 'What was chosen in one session means nothing for the next one, its forks included.',
  'host.mode.asking-default':
    'A new session begins in a mode in which the agent asks, also where the agent itself begins in another.',
  'host.mode.own-change':
    'An agent that changes its own mode so that it decides by itself is set back; one that does not go back is ended.',
  'host.mode.resumed': 'A session that is resumed keeps the mode that was chosen in it.',
});

export const dial = promisedBy('README, Security in plain words', {
  'host.dial.ask': 'Every session has a dial of permissions, which is at Ask until a client sets it in that session.',
  'host.dial.accept-edits':
    "Accept edits lets edits of files in the session's folders run without a question, and nothing else.",
  'host.dial.read-only':
    'Read only denies changes and commands, with words for the agent, also where a rule allows them; tools of unknown effect ask.',
  'host.dial.writes':
    'An agent writes a file through the host only under a call that was allowed to edit it; otherwise the write is asked about like every edit.',
  'host.dial.commands':
    'An agent runs a command in a terminal of the host only where a call was just allowed to run that very command; otherwise it is asked about like every command.',
  'host.dial.narrowing':
    'Deny rules, ask rules and hooks narrow what the dial lets through; no rule widens what it denies.',
  'host.dial.not-inherited':
    'No new session, fork or chat begins with what was set on the dial of another, however it is made.',
  'host.dial.restart': 'A session that is resumed after a restart of the host is at Ask.',
  'host.dial.let-in': 'A client that was let in by a credential may not set the dial to Accept edits.',
  'host.dial.not-holding':
    'Where an agent decides by itself the dial is at Ask and cannot be set; where one ran a tool without asking, the session says so, and in a read-only session that agent is stopped.',
});

export const sandbox = promisedBy('README, Security in plain words', {
  'host.sandbox.chosen':
    'A session is in a sandbox only where that was chosen for it, or where the setting says so, and it stays in one after a restart.',
  'host.sandbox.confined':
    'Programs of a session in a sandbox cannot change what is outside its folders, read secrets or what belongs to other sessions, or reach processes and services of the machine.',
  'host.sandbox.works':
    "Programs in a sandbox can write in their session's folders and in a temporary folder, and reach the ports that they were given.",
  'host.sandbox.hosts': 'Programs in a sandbox connect only to hosts that are allowed in their own session.',
  'host.sandbox.asks':
    'A person is asked once about a host. The answer can be a rule, as for other approvals, and is recorded.',
  'host.sandbox.missed':
    'Hosts to which an agent tried to connect while no turn was running are asked about in the next turn, with that reason.',
  'host.sandbox.needless':
    'Known hosts for telemetry and updates of an agent are denied without a question unless a rule allows them, and named once.',
  'host.sandbox.deny-always': 'A person can deny a host for good, with a rule that can be removed.',
  'host.sandbox.options':
    'Where new sessions are in a sandbox, an agent that only lists its options starts in an empty folder.',
  'host.sandbox.never-off':
    'Where a sandbox cannot start, no program of its session runs until a person chooses to continue without it.',
});
