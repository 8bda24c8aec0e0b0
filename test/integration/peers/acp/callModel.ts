interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

/** Calls the model that OpenAI's environment variables configure. */
export async function callModel(text: string): Promise<string> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_MODEL: model } = process.env;
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  });
  if (!answer.ok) return `error ${answer.status} ${await answer.text()}`;
  return ((await answer.json()) as Answer).choices[0]?.message.content ?? 'nothing';
}
