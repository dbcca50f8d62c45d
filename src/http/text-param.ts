// Text that somebody asks with: without control characters, which no name or URI holds and not every database lets itself be asked for.
import { z } from 'zod';

export const plainText = z.string().regex(/^[^\p{Cc}]*$/u, 'text without control characters');
