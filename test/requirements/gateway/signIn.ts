import { promisedBy } from '../promised.ts';

export const signIn = promisedBy('GATEWAY.md, Sign-in with an identity provider', {
  'gateway.ui.sign-in':
    'People sign in to the pages with the configured OpenID Connect provider, as the user whom the provider vouches for.',
  'gateway.ui.sign-in.groups':
    'Groups give roles, teams and organizations in the pages for as long as a person has them, and nothing to keys or records.',
  'gateway.ui.sign-in.ends':
    'A session ends at every replica when the provider ends it or does not confirm it, when the person signs out, and at its limit.',
  'gateway.ui.sign-in.attacks': 'A sign-in, a session and a logout token that somebody forged or replayed are refused.',
  'gateway.audit.people':
    'The audit says of each change who made it, with the email address, and how they had signed in.',
});

export const invitations = promisedBy('GATEWAY.md, Invitations', {
  'gateway.invitations':
    'A link invites one person once: until it expires or is deleted, and to what whoever made it may give.',
});
