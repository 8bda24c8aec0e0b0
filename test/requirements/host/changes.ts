import { promisedBy } from '../promised.ts';

export const changes = promisedBy('README, Review', {
  'host.changes.baseline-budget':
    'In a folder without Git a large file takes the room of no other: small files are kept first.',
  'host.changes.tool-before': 'What a tool call saw before it wrote is enough to undo what it wrote.',
  'host.changes.file-and-folder':
    'A folder in place of a file, or a file or link in place of a folder, is all of its removals and additions, undone and redone exactly.',
  'host.changes.deleted-folder':
    'A folder that an agent deleted is made again by the undo, where it was recorded, and never behind a link.',
  'host.changes.kept-before-allowed':
    'What a person allows a tool call to change is kept before, also where no baseline looks.',
  'host.changes.undo-partly':
    'An undo of all does what it can, and lists every other file with the reason: in its answer and in the changeset.',
  'host.changes.undo-recorded': 'What an operation did before a part of it failed is recorded, and can be taken back.',
  'host.changes.overwrite-kept': 'Nothing that cannot be kept is overwritten.',
  'host.agent.file-errors': 'An agent that reads or writes a file that it may not have gets an error that says why.',
  'host.files.held':
    'A person is asked, or told where the agent decides, before a session changes a file that the running turn of another session changes.',
  'host.files.wait': 'A call can wait until no other session changes its files. No two sessions wait for each other.',
  'host.files.take-over':
    'A session that takes a file over changes it without this question, and the others are asked from then on.',
  'host.changes.commit-index': 'A commit that fails leaves the index as it was.',
  'host.changes.submodules': 'A repository within a repository is shown among what is not committed, by its commit.',
  'host.changes.runs-nothing-inner':
    'The host runs no program that the settings of a repository within a repository name. For a session with a sandbox, it does not stage or commit in a repository within the folders.',
  'host.changes.raw-names': 'Files whose names are no UTF-8 are recorded, undone and named like others.',
  'host.files.enter-no-link': 'A folder is entered from the folder above it, and never through a link.',
  'host.files.raw-names':
    'Files whose names are no UTF-8 are copied, moved and removed with the folder that they lie in.',
  'host.files.watch-replaced': 'A folder that takes the place of another one is followed as that one was.',
  'host.files.write-queue': 'A write that is refused keeps no other write to the file from being done.',
});

/** What a session committed in a working tree of its own. */
export const ownTrees = promisedBy('README, Work with agents', {
  'host.worktree.merge':
    'The branch of a worktree is merged into what is checked out in its repository, whole or not at all, and only for a trusted window.',
  'host.worktree.keeps-work':
    'No worktree is removed that holds what is not committed or not pushed, that a person pinned, or in which a turn runs.',
  'host.worktree.prepared':
    'A new worktree gets copies of the ignored files that the repository names and links to the ignored folders that a person names, never through a link, and is clean.',
  'host.worktree.set-up':
    'The set-up command of a person runs in a new worktree outside the sandbox, the first turn waits for it, and a failure is shown.',
  'host.race.keep':
    'Of a race, files and hunks of several sessions go into the folder of the person as changes that are not staged, and no worktree is left.',
  'host.race.whole':
    'What is kept of a race is written whole or not at all, where changes conflict or are newer than what a person saw.',
  'host.race.kept': 'A race survives a restart of the host, and any window ends it.',
  'host.race.sandboxed':
    'Each session of a race that is started in sandboxes has one of its own: it cannot write in the worktree of another, or in the folder of the person.',
  'host.race.check':
    'The check of a race runs in the worktree of a session when its turn ends, for a trusted window, and when a person asks.',
  'host.race.check-interrupted': 'A check that ran when the host ended is shown as interrupted when the host is back.',
});

/** Which session, prompt and approval wrote a line. */
export const authors = promisedBy('README, Work with agents', {
  'host.authors.lines': 'A line is of the turn that wrote it, whichever sessions changed the file before and after.',
  'host.authors.person': 'A line that a person changed since is nobody’s, saved or not.',
  'host.authors.by-file':
    'Who wrote the lines of a file is asked of the turns that changed this file, and of no others.',
  'host.authors.note':
    'The note of a commit names the agents of its lines, and is written only in a trusted folder of the window.',
});
