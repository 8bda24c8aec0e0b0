import { promisedBy } from '../promised.ts';

/** What holds for agents that a person adds from a registry. */
export const agents = promisedBy('README', {
  'host.agents.left-out': 'An entry of the registry that does not fit is left out and named; the others are offered.',
  'host.agents.hourly':
    'The list of a registry is fetched at most once an hour; where it cannot be fetched, the one that was kept or shipped is shown with its date and the reason.',
  'host.agents.https':
    'Nothing is fetched over anything but https, also after a redirect, except from this machine for an address on it.',
  'host.agents.trusted-window':
    'Only a trusted window of this machine sees what can be installed, and installs, updates or removes it.',
  'host.agents.confirmed':
    'What is installed is the version that was offered, with the hash that was published; anything else is refused.',
  'host.agents.own-folder':
    'An agent is installed in a folder of its own below the data directory, which goes with it.',
  'host.agents.nothing-left': 'An installation that fails or is cancelled leaves nothing behind.',
  'host.agents.scripts': 'No install script of a package runs unless a person allowed it for that package.',
  'host.agents.inside': 'Nothing in an archive is written outside its folder, and no link in it leads there.',
  'host.agents.unchanged': 'An agent whose files are not those that were installed is not started.',
  'host.agents.side-by-side':
    'Agents of different programs work side by side, and the answer to each question reaches the agent that asked it, and no other.',
  'host.agents.removed': 'A session whose agent was removed says so, and what to do.',
  'host.coder.resumes':
    'The built-in agent continues its conversation, with all calls and results, after its host was killed.',
  'host.coder.reads-by-rules':
    'A search or a list of the built-in agent shows nothing of a file that a rule denies reading, and a search asks about the files that it would show if a rule asks.',
  'host.coder.editor-models':
    'A model of the editor is called only through the window in which the message was sent, and its cost is unknown.',
  'host.coder.sub-agents':
    'A sub-agent of the built-in agent works in a read-only chat of its own, whose origin names the tool call that started it. It ends with the turn that delegated it at the latest.',
  'host.coder.plans':
    'In Plan mode, the built-in agent offers its model only tools that read, until the user starts the plan.',
});

/** What holds for sessions of agents that run elsewhere and are reached through the gateway. */
export const remoteAgents = promisedBy('README', {
  'host.remote.listed': 'An A2A agent of the gateway is offered as long as it is registered, under an ID that stays.',
  'host.remote.through-gateway':
    "An A2A agent is called through the gateway with a key of the chat that opens nothing else; the gateway's records say what the turn cost.",
  'host.remote.input-required': 'A question of an A2A agent is an input request; the answer continues the same task.',
  'host.remote.auth-required':
    'A turn reports that its A2A agent requires a sign-in; the next message continues the same task.',
  'host.remote.artifacts': 'Files that an A2A agent sends are content that a person can open, each shown once.',
  'host.remote.canceled': 'A turn that is stopped cancels the task of its A2A agent.',
  'host.remote.continued': 'The conversation with an A2A agent, and the task that runs, outlive the host.',
});

/** What holds for sessions of agents of the gateway's cloud-agents service. */
export const cloudSessions = promisedBy('README', {
  'host.cloud.listed': 'The cloud-agents service of the gateway is offered for new sessions if one is configured.',
  'host.cloud.through-gateway':
    "The service is called through the gateway with a key of the chat that opens nothing else; the host never has the service's credential.",
  'host.cloud.launched':
    'Before an agent is launched, the user sees what is sent and chooses repository, branch, and pull request.',
  'host.cloud.followed':
    "The session shows the agent's conversation and status, its branch, and its pull request, also after the service was out of reach for a moment.",
  'host.cloud.follow-up': 'The next message is a follow-up to the same agent, and is shown once.',
  'host.cloud.images': 'Images that are attached to a message are sent to the agent with their sizes.',
  'host.cloud.stopped': 'A turn that is stopped stops the agent.',
  'host.cloud.deleted': 'An agent is deleted from the service only after the user confirmed it.',
  'host.cloud.account': 'A session can continue an agent of the account that was launched elsewhere.',
  'host.cloud.continued': 'An agent that works outlives the host, and its session continues with it.',
  'host.cloud.no-local-choices':
    'A session of a cloud agent has no choice that only matters on this machine: permissions, sandbox, or worktree.',
});
