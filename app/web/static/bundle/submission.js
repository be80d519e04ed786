import"./chunk-SIT7M4FK.js";import{a as e}from"./chunk-THWXMZRR.js";import"./chunk-EI5W7GQF.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
