import { type ModelOperation, readModelCall } from '../../../sidecar/gateway/models/readCall.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import type { Road } from './drive.ts';
import { modelCall, readModelThrice } from './readers.ts';
import { type ModelStyle, modelStyles } from './twins.ts';

const operations: Readonly<Record<ModelStyle, ModelOperation>> = {
  'model chat': { dialect: 'chat', suffix: '', callType: 'chat_completion' },
  'model responses': { dialect: 'responses', suffix: '', callType: 'responses' },
  'model messages': { dialect: 'messages', suffix: '', callType: 'messages' },
  'model gemini': { dialect: 'gemini', suffix: ':generateContent', version: 'v1beta', callType: 'generate_content' },
};

/** The roads of model calls: compares what the gateway read in a body with what it sends. The caller can use only `smart`. */
export const modelRoads = (): readonly Road[] =>
  modelStyles.map((style) => ({
    name: style.replace('model', 'Models,'),
    style,
    read: (text) => readModelThrice(text, style),
    async post(text) {
      const isGemini = style === 'model gemini';
      try {
        const call = readModelCall(operations[style], Buffer.from(text), isGemini ? 'smart' : undefined);
        if (call.alias !== 'smart') return [];
        const judged = modelCall({
          name: isGemini ? undefined : '"real"',
          isStream: call.isStream,
          most: call.maxOutput === undefined ? undefined : String(call.maxOutput),
          choices: String(call.choices),
          hasUsage: style === 'model chat' && call.isStream,
        });
        return [{ sent: call.bodyFor('real').toString(), judged }];
      } catch (thrown) {
        if (thrown instanceof Fault) return [];
        throw thrown;
      }
    },
  }));
