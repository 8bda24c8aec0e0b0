const edge = 96;
/** The longest `data:` URI for a thumbnail, in characters. */
const most = 20_000;

/** A thumbnail of an image, as a `data:` URI. `undefined` if the browser cannot draw the image. */
export async function thumbnailOf(contentType: string, base64: string): Promise<string | undefined> {
  const bytes = Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: contentType })).catch(() => undefined);
  if (!image) return undefined;
  const scale = Math.min(1, edge / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const small = canvas.toDataURL('image/webp', 0.7);
  return small.length <= most ? small : undefined;
}
