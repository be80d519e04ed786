import{b as e}from"./chunk-JET7RXAT.js";import"./chunk-THWXMZRR.js";import"./chunk-EI5W7GQF.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
