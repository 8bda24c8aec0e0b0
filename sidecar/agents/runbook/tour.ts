/**
 * The two-minute tour: safe in any folder, it works on one file that it makes itself. Kept in code, because the
 * bundle has to bring it along.
 */
export const tour = `---
title: The two-minute tour
description: See a session from the first word to the last undo
pace: 18
---
# Welcome to Switchboard

You are looking at a session. An agent answers in it, asks before it acts, and shows you every change it made.
The agent of this tour is a **runbook**: a Markdown file whose blocks are performed one after the other. It needs no
network, no key and no account, and it does the same thing every time.

## 1. It asks you

An agent can ask. The same question also waits in the **Inbox**, on the badge and in the status bar.

\`\`\`ask
name: who
kind: text
message: What shall I call you?
max: 40
default: friend
\`\`\`

\`\`\`ask
name: tone
kind: single-select
message: How shall the note sound?
options:
- plain: Plain (recommended) | short and to the point
- warm: Warm | a few kind words more
- brief: As brief as possible
\`\`\`

\`\`\`ask
name: topics
kind: multi-select
message: What are you curious about?
options:
- permissions: Permissions
- review: Review and undo
- agents: Other agents
min: 0
max: 3
\`\`\`

\`\`\`ask
name: stars
kind: integer
message: How many stars shall the note get?
min: 1
max: 5
default: 3
\`\`\`

\`\`\`ask
name: keep_going
kind: boolean
message: Shall I explain as I go?
default: true
\`\`\`

Thank you, {{who}}.

## 2. It asks before it acts

Next is a shell command. You see exactly what would run, and where. **Allow once**, allow it in this session or
always, or deny it, with a reason if you like.

\`\`\`sh
echo Hello {{who}}, this ran in
pwd
\`\`\`

## 3. It changes files

First a new file, \`switchboard-tour.md\`. Click **Preview** on the card before you decide.

\`\`\`write switchboard-tour.md
# A note for {{who}}

Tone: {{tone}}
Curious about: {{topics}}
Stars: {{stars}}

This line will change in a moment.
\`\`\`

Then a change of one line in it.

\`\`\`diff
--- a/switchboard-tour.md
+++ b/switchboard-tour.md
@@
 
-This line will change in a moment.
+This line was changed by a diff. Keep it, or undo it.
\`\`\`

## 4. You have the last word

When this turn ends, a bar shows what changed. **Review changes** opens the file beside what it was before; the right
side is the real file, so you can edit it. **Keep** marks a change as reviewed, **Undo** puts back the bytes that were
there before, and an undo can be undone once.

That is all. Put runbooks of your own into \`.switchboard/runbooks/\`, type \`/\` to see them, or choose another agent
below the prompt. You can delete \`switchboard-tour.md\` at any time.
`;
