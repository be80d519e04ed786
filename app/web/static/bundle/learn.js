import{b as e}from"./chunk-YHNZ3DYK.js";import"./chunk-YENW7NAW.js";import"./chunk-EI5W7GQF.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
