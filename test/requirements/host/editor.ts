import { promisedBy } from '../promised.ts';

/** What holds where a person meets the host: in the editor. */
export const editor = promisedBy('README', {
  'host.terminals.typed-early':
    'What is typed into a terminal before its state came is sent in order once it has come.',
  'host.terminals.held-up':
    'While the disk takes nothing, a program at a terminal waits; all that it wrote comes before its end.',
  'host.approvals.folder-others-run':
    'In a session whose folder is one that git, the editor or agents run from, no rule allows an agent to write there.',
  'host.approvals.says-why':
    'A call that ran without a question says in its chat why: the rule, the dial of the session, or that its agent asked nobody.',
  'host.approvals.history':
    'What is allowed or denied is kept with the time and with who or what decided, without secrets, and is read in pages, newest first.',
  'host.approvals.suggests':
    'Whoever allowed the same three times in a session is shown the rule that would allow it, and never for what is dangerous.',
  'host.approvals.names-rule':
    'Whoever allows more than one call sees the rule before it is saved, and the list names the session of a rule that holds in one.',
  'host.auth.refused-while-replaced':
    'Of two tokens that an MCP server of a session got one after the other, only the one that it refused is dropped; the call goes on with the other.',
  'host.attachments.kept':
    'Bytes that a message attaches are kept once by the host, and reach the agent as the image, text or file that they are.',
  'host.attachments.unknown': 'A message that attaches content that the host does not keep is refused.',
  'host.search.at-once': 'A search of all transcripts finds a turn that has ended a moment ago, newest first.',
  'host.search.deleted': 'A search finds nothing of a session that was deleted, whatever its index holds.',
  'host.search.made-anew': 'An index of transcripts that is missing or damaged is made anew, and nothing is lost.',
  'host.upgrade.earlier-version': 'The data, the journal and the settings of version 0.1.0 are opened by this version.',
  'host.upgrade.later-version': 'Data of a later version is refused in words, and is not changed.',
  'host.retention.sessions':
    'With the setting, sessions that nobody used for so many days are deleted as a person deletes them, and no others.',
  'host.retention.kept': 'Sessions that are pinned, unread, open, at work, or waiting are kept, however old they are.',
  'host.retention.worktrees': 'The worktree of an old session goes with it, unless it holds what would be lost.',
  'host.restore.preview':
    'Whoever restores to before a turn is told before how many turns and which files that takes back.',
  'host.restore.files':
    'A restore puts files back to what they held before the turn, and leaves, with the reason, what holds something else by now.',
  'host.restore.redo':
    'A restore of the chat or of files can be taken back until the next turn begins, also after the host was killed.',
  'host.restore.idle': 'Nothing is restored or taken back while a turn runs.',
  'host.chat.rename':
    'A chat beside the first one is called by its first prompt until a person names it; the name is kept, also over a restart.',
  'host.changes.contents-once': 'Stored contents that a diff asks for twice at once are read once and counted once.',
  'host.resource-watch.at-once': 'The limit of watches holds also for requests that come at the same time.',
  'host.budgets.asks':
    'A call to a model that would exceed a budget waits, before anything is sent, until a person raises the budget or refuses.',
  'host.budgets.together':
    'Concurrent calls never exceed a budget together: the most that each can cost is set aside first, and one question covers all waiting calls.',
  'host.budgets.refused':
    'After a person refuses to raise a budget, nobody is asked again in that turn, and the client does not retry the refused call.',
  'host.budgets.cheaper':
    'A person can have a cheaper model serve the calls that do not fit into a budget in dollars, until the turn ends.',
  'host.budgets.kept': 'Spend survives a restart of the host, for the session, the folder, the day, and all sessions.',
  'host.budgets.unlimited': 'Without a budget, nobody is asked.',
  'host.limits.subAgents':
    'A sub-agent that would exceed the limit of its turn waits until a person raises the limit or refuses. Its tool call waits if the agent asks for permission. Otherwise, its first call to a model waits.',
  'host.limits.sessions':
    'A turn that would exceed the limit on running sessions waits before its agent gets the message. It starts when another session ends its turn or a person raises the limit.',
  'host.limits.refused':
    'If a person refuses, or nobody answers within an hour, the waiting sub-agent or turn is refused with an error that says why.',
  'host.elicitation.form':
    'A form of an agent that speaks ACP is shown as questions, and the agent gets what a person entered, or that the person declined or cancelled.',
  'host.elicitation.url':
    'A page that an agent that speaks ACP asks a person to open is shown with its address, is opened only when the person selects that, and must be of the web.',
  'host.conversations.listed':
    'x-switchboard/conversations lists what an agent keeps for a folder or account and no session continues, and ends the agent again.',
  'host.conversations.continued':
    'x-switchboard/conversationOpen makes a session that continues such a conversation, with the turns that the agent reports, in a trusted window alone.',
  'host.conversations.forked':
    'A fork of the latest turn goes on with a copy of the conversation, where the agent makes one. Any other fork begins with the transcript.',
  'host.conversations.deleted':
    'x-switchboard/conversationDelete has the agent of a session delete the conversation that the session continues, or says that it cannot.',
  'host.unasked.counted':
    'A command or change that an agent ran without asking, although it should ask, is counted for the session and for the version of the agent.',
  'host.unasked.no-false-alarm':
    'A tool that only reads, that failed before it ran, or that a rule, the permissions, or the mode of the agent let run is not counted as run without asking.',
  'host.limits.parked':
    'A chat whose agent reached a usage limit is parked with its message until the limit ends, and then sends it by itself.',
  'host.limits.parked-once':
    'The message of a parked chat is neither lost nor sent twice: not by a restart of the host, a person, or a second window, and not if tools ran already.',
  'host.limits.kept': 'A raised limit survives a restart of the host, and applies until the setting changes.',
});
