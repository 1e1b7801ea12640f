import { assetFolder } from './asset.ts';
import codeCss from './code.css' with { type: 'text' };
import guideCss from './guide.css' with { type: 'text' };
import guideScript from './guide.js' with { type: 'text' };
import guideFrameCss from './guide-frame.css' with { type: 'text' };
import icon from './icon.svg' with { type: 'text' };
import pageCss from './page.css' with { type: 'text' };
import controls from './reference/controls.js' with { type: 'text' };
import document from './reference/document.js' with { type: 'text' };
import start from './reference/start.js' with { type: 'text' };
import themeCss from './reference/theme.css' with { type: 'text' };

/** Styles, icon and scripts of the pages. */
export const assets = assetFolder({
  'page.css': pageCss,
  'guide.css': guideCss,
  'guide-frame.css': guideFrameCss,
  'code.css': codeCss,
  'guide.js': guideScript,
  'icon.svg': icon,
  'reference/theme.css': themeCss,
  'reference/start.js': start,
  'reference/document.js': document,
  'reference/controls.js': controls,
});
