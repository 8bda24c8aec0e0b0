import * as z from 'zod';

/** A model that the editor offers to its extensions. Only a window can call it. */
export const EditorModel = z.object({
  /** Among the models of an agent: `vscode/<vendor>/<ID in the editor>`. */
  id: z.string().min(1),
  /** For a person. */
  name: z.string().min(1),
  family: z.string(),
  /** The input token limit. */
  context: z.int().positive(),
});
export type EditorModel = z.infer<typeof EditorModel>;
