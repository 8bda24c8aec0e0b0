import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { npm } from '../npm.ts';

/** The SDKs of three providers, as their users install them. */
const versions = { openai: '7.57.0', '@anthropic-ai/sdk': '1.14.0', '@google/genai': '3.3.0' } as const;

type Call<T> = (request: object) => Promise<T>;
type Chunks = AsyncIterable<Readonly<Record<string, unknown>>>;
/** A class of errors that an SDK throws. */
type Thrown = new (...args: never[]) => Error & { readonly status?: number };

/** The parts of the SDKs that the tests use. */
export interface Sdks {
  readonly OpenAI: (new (
    options: object,
  ) => {
    readonly chat: { readonly completions: { readonly create: Call<Chunks & Record<string, unknown>> } };
    readonly responses: { readonly create: Call<Chunks & Record<string, unknown>> };
    readonly models: { list(): Promise<{ readonly data: readonly { readonly id: string }[] }> };
  }) & {
    readonly PermissionDeniedError: Thrown;
    readonly BadRequestError: Thrown;
    readonly AuthenticationError: Thrown;
  };
  readonly Anthropic: (new (
    options: object,
  ) => {
    readonly messages: {
      readonly create: Call<Chunks & Record<string, unknown>>;
      readonly countTokens: Call<{ readonly input_tokens: number }>;
    };
    readonly models: { list(): Promise<{ readonly data: readonly { readonly id: string }[] }> };
  }) & { readonly PermissionDeniedError: Thrown; readonly AuthenticationError: Thrown };
  readonly GoogleGenAI: new (
    options: object,
  ) => {
    readonly models: {
      readonly generateContent: Call<{ readonly text: string }>;
      readonly generateContentStream: Call<AsyncIterable<{ readonly text: string }>>;
      readonly countTokens: Call<{ readonly totalTokens: number }>;
    };
  };
  readonly ApiError: Thrown;
}

export async function modelSdks(): Promise<Sdks> {
  const named = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const folder = await cached(`model-sdks-${Object.values(versions).join('-')}`, async (into) => {
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, 'package.json'), '{"private":true}');
    await npm(['install', '--ignore-scripts', '--save-exact', ...named], into);
  });
  const require = createRequire(join(folder, 'package.json'));
  const { OpenAI } = require('openai') as Pick<Sdks, 'OpenAI'>;
  const { Anthropic } = require('@anthropic-ai/sdk') as Pick<Sdks, 'Anthropic'>;
  const { GoogleGenAI, ApiError } = require('@google/genai') as Pick<Sdks, 'GoogleGenAI' | 'ApiError'>;
  return { OpenAI, Anthropic, GoogleGenAI, ApiError };
}
