/**
 * The two-minute tour: safe in any folder, it works on one file that it makes itself. Kept in code, because the
 * bundle has to bring it along.
 */
export const tour = `---
title: The two-minute tour
description: See a session from the first message to the last undo
pace: 18
---
# Welcome to Switchboard

This is a session. An agent answers here, asks before it acts, and shows you every change it makes. The agent in this
tour is a **runbook**: a Markdown file whose blocks run one after another. It needs no network, key, or account, and
it always does the same thing.

## 1. It asks you

An agent can ask you questions. Each question also appears in the **Inbox** and is counted in the badge and the status bar.

\`\`\`ask
name: who
kind: text
message: What should I call you?
max: 40
default: friend
\`\`\`

\`\`\`ask
name: tone
kind: single-select
message: What tone should the note have?
options:
- plain: Plain (recommended) | clear and to the point
- warm: Warm | a little friendlier
- brief: Brief | as short as possible
\`\`\`

\`\`\`ask
name: topics
kind: multi-select
message: What are you interested in?
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
message: How many stars should the note get?
min: 1
max: 5
default: 3
\`\`\`

\`\`\`ask
name: keep_going
kind: boolean
message: Do you want an explanation of each step?
default: true
\`\`\`

Thank you, {{who}}.

## 2. It asks before it acts

Next is a shell command. You see exactly what will run, and where. Allow it once, for this session, or always. Or deny
it, with a reason if you like.

\`\`\`sh
echo Hello {{who}}, this ran in
pwd
\`\`\`

## 3. It changes files

First, the agent creates a file, \`switchboard-tour.md\`. Select **Preview** on the card before you decide.

\`\`\`write switchboard-tour.md
# A note for {{who}}

Tone: {{tone}}
Interested in: {{topics}}
Stars: {{stars}}

This line will change in a moment.
\`\`\`

Then it changes one line in that file.

\`\`\`diff
--- a/switchboard-tour.md
+++ b/switchboard-tour.md
@@
 
-This line will change in a moment.
+This line was changed by a diff. Keep it, or undo it.
\`\`\`

## 4. You decide what stays

When this turn ends, a bar shows what changed. **Review changes** opens the file next to its previous version. The
right side is the actual file, so you can edit it. **Keep** marks a change as reviewed. **Undo** restores the previous
content. **Redo** reverses an undo, once.

That is all. To add your own runbooks, save them in \`.switchboard/runbooks/\` and type \`/\` to see them. To use another
agent, choose it below the prompt. You can delete \`switchboard-tour.md\` at any time.
`;
