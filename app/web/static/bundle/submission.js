import"./chunk-HTPKGQFG.js";import{a as e}from"./chunk-YENW7NAW.js";import"./chunk-EI5W7GQF.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
