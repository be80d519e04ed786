// Ruff's formatter as WebAssembly, in a worker: only this script may compile WebAssembly (app/web/static_files.py), and it
// can be stopped.
import initialise, { format } from "@wasm-fmt/ruff_fmt/web";

export interface Request {
  program: string; // the address of the WebAssembly
  source: string;
}

/** `at`: the byte of the UTF-8 text where `fault` is, which Python can't read. */
export type Answer = { text: string } | { fault: string; at: number };

self.onmessage = async (message: MessageEvent<Request>) => {
  const { program, source } = message.data;
  await initialise(program);
  self.postMessage(formatted(source));
};

function formatted(source: string): Answer {
  try {
    return { text: format(source, "solution.py") };
  } catch (error) {
    const [, fault = String(error), at = "0"] = String(error).match(/^(.*) at byte range (\d+)/s) ?? [];
    return { fault, at: Number(at) };
  }
}
