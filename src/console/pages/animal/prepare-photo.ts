/** Making a photo out of a file that the service does not take as it is. */

/** What the service takes. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp'];
/** The service keeps no more of a photo than this, so that a phone need not send more. */
const SIDE_MAX = 2_048;
const SENT_BYTES_MAX = 5_000_000;
const QUALITY = 0.92;

/** Why a file cannot be a photo, in words for the person. */
export class UnusableFile extends Error {}

/**
 * Returns a file as the service takes it: as it is, or as a smaller JPEG. Throws an `UnusableFile`
 * if this browser cannot read it.
 */
export async function preparePhoto(file: File): Promise<Blob> {
  if (TYPES.includes(file.type) && file.size <= SENT_BYTES_MAX) return file;
  let picture: ImageBitmap;
  try {
    picture = await createImageBitmap(file);
  } catch {
    throw new UnusableFile(reasonOf(file));
  }
  const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  const context = canvas.getContext('2d');
  if (context === null) throw new UnusableFile('This browser cannot convert it.');
  // A JPEG has no transparency: what is transparent would be black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
}

function reasonOf({ name, type }: File): string {
  if (/^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name)) {
    return 'This browser cannot read HEIC. Save it as JPEG, or add it with Safari.';
  }
  if (type.startsWith('image/')) return 'This browser cannot read it. Save it as JPEG.';
  return 'This is not a photo.';
}
