import { mustRun, type Tools } from '../tools.ts';
import { generatorJar, JAR_VERSION } from './jar.ts';
import { GUIDE, rowOf, rowsOf } from './table.ts';

const JAR_START = `java -jar openapi-generator-cli-${JAR_VERSION}.jar `;

/** How the guide starts a generator, and how that is done here: in the version that is pinned here. */
const STARTS: readonly (readonly [RegExp, (name: string, tools: Tools) => string[]])[] = [
  [/^generator\/node_modules\/\.bin\/(\S+)/, (name, tools) => tools.npm(name)],
  [/^pipx run ([\w-]+)==\S+/, (name, tools) => [tools.python(name)]],
  [/^go run \S+\/cmd\/([\w-]+)@\S+/, (name) => ['go', 'tool', name]],
];

/** Returns the command that the guide has for a generator, such as `openapi-generator (php)`. */
export async function guideCommand(generator: string): Promise<string> {
  const [, name, language] = /^(\S+)(?: \((.*)\))?$/.exec(generator) ?? [];
  const commands = (await rowsOf('Command')).filter(
    ([, of, command = '']) => of === name && (!language || command.includes(`-g ${language} `)),
  );
  const [[, , command = ''] = []] = commands;
  if (commands.length !== 1) throw new Error(`the guide has no command for ${generator}`);
  return command.replaceAll('`', '');
}

/** Runs the command of the guide in a folder. */
export async function generate(
  generator: string,
  tools: Tools,
  ...where: [folder: string, settings?: Readonly<Record<string, string>>]
): Promise<void> {
  const command = await guideCommand(generator);
  await expectVersion(generator, command);
  await mustRun(await wordsOf(command, tools), ...where);
}

/** Throws unless the guide installs the version that its tables are about. */
async function expectVersion(generator: string, command: string): Promise<void> {
  const { version } = await rowOf(generator);
  const installed = command.startsWith('generator/')
    ? (await Bun.file(GUIDE).text()).includes(
        `\`npm install --prefix generator ${generator}@${version}\``,
      )
    : [`-cli-${version}.jar`, `==${version} `, `@v${version} `].some((text) =>
        command.includes(text),
      );
  if (!installed) throw new Error(`the guide does not install ${generator} ${version}`);
}

async function wordsOf(command: string, tools: Tools): Promise<string[]> {
  if (command.startsWith(JAR_START)) {
    const jar = await generatorJar(tools);
    return ['java', '-jar', jar, ...command.slice(JAR_START.length).split(' ')];
  }
  for (const [start, toWords] of STARTS) {
    const [found, name] = start.exec(command) ?? [];
    if (found === undefined || name === undefined) continue;
    return [...toWords(name, tools), ...command.slice(found.length).trim().split(' ')];
  }
  throw new Error(`the guide starts a generator in a way that is not known here: ${command}`);
}

/** Throws unless the guide prints a file that a generator needs, such as its configuration. */
export async function expectPrinted(path: string): Promise<void> {
  const text = (await Bun.file(path).text()).trim();
  if (!(await Bun.file(GUIDE).text()).includes(text)) {
    throw new Error(`the guide does not print ${path}:\n${text}`);
  }
}
